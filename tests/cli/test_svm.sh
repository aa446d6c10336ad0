# test_svm.sh - LIBSVM's programs as links to this one: options, output, exit
# codes, model files both ways; beside LIBSVM's own where libsvm-tools is
# installed.
. "$(dirname "$0")/lib.sh"

programs=$(dirname "$GRAM")
peer=
for folder in /usr/bin /usr/local/bin; do
    [ -x "$folder/svm-train" ] && ! [ "$folder" -ef "$programs" ] &&
        "$folder/svm-train" 2>/dev/null | grep -q '^Usage: svm-train' &&
        ! [ "$(readlink "$folder/svm-train")" = gram ] && peer=$folder
done

# svm PROGRAM ARGUMENT...
svm() {
    program=$programs/$1
    shift
    code=0
    timeout 60 "$program" "$@" >out 2>err </dev/null || code=$?
}

# near EPS A B: files of numbers, line by line
near() {
    [ "$(wc -l <"$2")" = "$(wc -l <"$3")" ] &&
        paste "$2" "$3" | awk -v e="$1" '{ d = $1 - $2; if (d < 0) d = -d
            if (d > e) bad = 1 } END { exit bad }'
}

# value KEY FILE: what stands behind "KEY = " for the first time
value() {
    sed -nE "s/.*\b$1 = ([-0-9.e+]+).*/\1/p" "$2" | head -1
}

cat >three.svm <<'END'
3 1:0.5 2:1
1 1:-1 3:2
3 1:0.25 2:2
1 1:-2 3:1.5
2 2:-1 3:-1
2 2:-2 3:-1.25 5:1
3 1:1 2:1.1
1 1:-1.5
2 2:-1.5 3:-2
END

# ---------------------------------------------------------------- svm-scale
svm svm-scale -l 0 -s range three.svm
same 0 "$code" "svm-scale scales"
same '3 1:0.833333 2:0.75 3:0.5 ' "$(head -1 out)" "to the range given"
same 'x
0 1
1 -2 1
2 -2 2
3 -2 2
5 0 1' "$(cat range)" "the range file is LIBSVM's"
cp out scaled
svm svm-scale -r range three.svm
holds "a range file gives the same" cmp -s out scaled
printf '1 1:4 4:2\n1\n' >other.svm
svm svm-scale -r range other.svm
same '1 1:2 2:0.5 3:0.5 ' "$(head -1 out)" "values beyond the range, new features"
holds "a feature without a range is told of" grep -q '^WARNING: feature index 4' err
svm svm-scale -l 1 -u 0 three.svm
refuses 1 'svm-scale: inconsistent lower/upper specification' "an empty range"
svm svm-scale
same 'Usage: svm-scale [options] data_filename' "$(head -1 out)" "usage"
same 1 "$code" "usage exits with 1"
printf 'x\n0 1\n1 0 1\n1 0 1\n' >wrong
svm svm-scale -r wrong three.svm
refuses 1 'svm-scale: wrong:4: "1 0 1" is no line of a range file' \
    "a range file that descends"
svm svm-scale nofile
refuses 1 "svm-scale: can't open input file nofile" "a file that is not there"

# ------------------------------------------------------- svm-train, -predict
svm svm-train -q -t 0 three.svm
exits 0 "svm-train trains"
holds "the model has the data's name" test -f three.svm.model
same 'svm_type c_svc
kernel_type linear
nr_class 3' "$(head -3 three.svm.model)" "a model starts as LIBSVM's do"
same 'label 3 1 2' "$(grep label three.svm.model)" "classes in order of appearance"
svm svm-predict three.svm three.svm.model answers
same 'Accuracy = 100% (9/9) (classification)' "$(cat out)" "svm-predict predicts"
same '3 1 3 1 2 2 3 1 2 ' "$(tr '\n' ' ' <answers)" "a label a line"
svm svm-train three.svm m
for word in 'optimization finished, #iter = ' 'nu = ' 'obj = ' ', rho = ' \
    'nSV = ' ', nBSV = ' 'Total nSV = '; do
    prints "$word" "the log has $word"
done
svm svm-train -q -b 1 three.svm m
svm svm-predict -b 1 three.svm m answers
same 'labels 3 1 2' "$(head -1 answers)" "-b 1: labels first"
same 4 "$(sed -n 2p answers | wc -w)" "-b 1: a label and three probabilities"
svm svm-predict three.svm m answers
prints 'Model supports probability estimates, but disabled in prediction.' \
    "-b 0 says that there are probabilities"
svm svm-train -q -s 3 -c 10 three.svm m
svm svm-predict three.svm m answers
prints 'Mean squared error = ' "regression: mean squared error"
prints 'Squared correlation coefficient = ' "regression: correlation"
svm svm-train -q -v 3 three.svm
same 'Cross Validation Accuracy = 100%' "$(cat out)" "-v 3"
svm svm-train -q -s 3 -v 3 three.svm
prints 'Cross Validation Mean squared error = ' "-v 3 of a regression"
svm svm-train -q -w1 2 -w7 1 three.svm m
same 'WARNING: class label 7 specified in weight is not found' "$(cat err)" \
    "a weight of no class"

svm svm-train -c -1 three.svm
refuses 1 'svm-train: ERROR: C <= 0' "C below 0"
svm svm-train -s 1 -n 0.9999 three.svm m
exits 0 "nu that is feasible for equal classes"
svm svm-train -s 1 -n 0.9 other2.svm
refuses 1 "svm-train: can't open input file other2.svm" "no data"
printf '1 1:1\n1 1:2\n1 1:3\n-1 1:4\n' >few.svm
svm svm-train -s 1 -n 0.9 few.svm
refuses 1 'svm-train: ERROR: specified nu is infeasible' "nu that is not"
svm svm-train -s 7 three.svm
refuses 1 'svm-train: ERROR: unknown svm type' "a type that is not there"
svm svm-train -g abc three.svm
refuses 1 'svm-train: -g: "abc" is not a number' "a value that is no number"
svm svm-train -v 1 three.svm
same 1 "$code" "-v 1"
printf '1 1:1\n1 1:2\n' >one.svm
svm svm-train one.svm
refuses 1 'svm-train: ERROR: training data in only one class' "one class"
printf '1 3:1 2:1\n' >bad.svm
svm svm-train bad.svm
refuses 1 'svm-train: bad.svm:1: feature index 2 after 3, must increase' \
    "data that are wrong"
svm svm-predict -b 1 three.svm three.svm.model answers
refuses 1 'svm-predict: Model does not support probability estimates' \
    "-b 1 without probabilities"
sed 's/total_sv .*/total_sv 99/' three.svm.model >lie
svm svm-predict three.svm lie answers
same 1 "$code" "a model that lies"
holds "with its line" grep -q '^svm-predict: lie:[0-9]*: nr_sv adds up to' err
svm svm-predict three.svm nofile answers
refuses 1 "svm-predict: can't open model file nofile" "a model that is not there"

# ---------------------------------------------------------------- gram's own
run predict three.svm.model three.svm
exits 0 "gram predict takes a LIBSVM model"
same prediction,3,1,3,1,2,2,3,1,2 "$(paste -sd, out)" "and says the same"
run info three.svm.model
prints 'loss          hinge' "gram info takes one"
run convert three.svm.model m.gram
same 0 "$code" "gram convert makes a model of gram's"
run convert m.gram again.model
same 0 "$code" "and back"
holds "without losing a bit" cmp -s again.model three.svm.model
svm svm-predict three.svm m.gram answers
same 'Accuracy = 100% (9/9) (classification)' "$(cat out)" \
    "svm-predict takes a model of gram's"
run fit three.svm --loss logistic --kernel linear --lambda 1 -o l.gram --quiet
run convert l.gram l.model
refuses 1 'gram convert: l.gram: a model with loss logistic: LIBSVM has hinge (one against one), epsilon_insensitive and one_class' \
    "another loss has no LIBSVM model"

# --------------------------------------------------------- beside LIBSVM's own
data=${GRAM_DATA:-}/classification
if [ -z "$peer" ] || [ ! -f "$data/heart_scale.svm" ]; then
    echo "skip beside LIBSVM: needs libsvm-tools and the shared data"
    exit
fi
cp "$data/heart_scale.svm" heart
svm svm-scale heart
"$peer/svm-scale" heart >theirs 2>/dev/null
holds "svm-scale: the same bytes" cmp -s out theirs
svm svm-scale -l 0 -y -2 2 -s ours.range heart
"$peer/svm-scale" -l 0 -y -2 2 -s their.range heart >theirs 2>/dev/null
holds "svm-scale -l -y: the same bytes" cmp -s out theirs
holds "svm-scale -s: the same bytes" cmp -s ours.range their.range
svm svm-scale -r ours.range three.svm
"$peer/svm-scale" -r ours.range three.svm >theirs 2>/dev/null
holds "svm-scale -r: the same bytes" cmp -s out theirs

# Their models are read as they mean them, and they read ours.
for options in '-s 0' '-s 0 -b 1' '-s 1 -n 0.3' '-s 2 -n 0.2' '-s 3' '-s 4' \
    '-t 0' '-t 1 -r 1 -d 2' '-t 1 -r -0.5 -d 2' '-t 3 -g 0.01'; do
    # shellcheck disable=SC2086  # a list of options
    "$peer/svm-train" -q $options heart theirs.model >/dev/null
    b=0
    case $options in *'-b 1') b=1 ;; esac
    svm svm-predict -b $b heart theirs.model answers
    "$peer/svm-predict" -b $b heart theirs.model theirs >their.out
    alike=cmp
    if [ "$options" = "-s 3" ] || [ "$options" = "-s 4" ]; then
        alike='near 1e-12' # they are numbers, not labels
    fi
    # shellcheck disable=SC2086  # a command and its argument
    holds "their model, $options" $alike answers theirs
    holds "their model, $options: the same words" cmp -s out their.out
    run convert theirs.model m.gram
    run convert m.gram again.model
    "$peer/svm-predict" -b $b heart again.model again >/dev/null
    # shellcheck disable=SC2086
    holds "their model twice converted, $options" $alike again theirs
done

# What we train is what they train: objective, and labels but near f = 0.
svm svm-train -e 1e-4 heart ours.model
"$peer/svm-train" -e 1e-4 heart theirs.model >their.log
same "$(value obj their.log | cut -c1-8)" "$(value obj out | cut -c1-8)" \
    "svm-train: the same objective"
"$peer/svm-predict" heart ours.model ours >/dev/null
"$peer/svm-predict" heart theirs.model theirs >/dev/null
holds "svm-train: the same labels, read by them" cmp -s ours theirs
svm svm-train -q -v 5 heart
same "$("$peer/svm-train" -q -v 5 heart)" "$(cat out)" \
    "svm-train -v 5: the same folds, the same accuracy"

# The example of LIBSVM's practical guide.
# guide PERCENT NAME TRAIN TEST OPTION...
guide() {
    wanted=$1 name=$2 train=$3 test=$4
    shift 4
    svm svm-train -q "$@" "$train" guide.model
    svm svm-predict "$test" guide.model answers
    same "Accuracy = $wanted%" "$(cut -d' ' -f1-3 out)" "svmguide1 $name"
}
for part in train test; do
    gunzip -c "$data/svmguide1.$part.svm.gz" >"guide.$part"
done
svm svm-scale -l -1 -u 1 -s guide.range guide.train
mv out guide.train.scale
svm svm-scale -r guide.range guide.test
mv out guide.test.scale
guide 66.925 "as it is" guide.train guide.test
# One of 4000 rows has a decision value of 2e-6 at the optimum: LIBSVM says
# 96.15 with -e 0.001 and 96.125 with less.
"$peer/svm-train" -q guide.train.scale theirs.model
svm svm-train -q guide.train.scale ours.model
for model in ours theirs; do
    run predict $model.model guide.test.scale --decision
    mv out $model.csv
done
holds "svmguide1 scaled: the same labels but near 0, f to the tolerance" \
    awk -F, 'NR == FNR { label[FNR] = $1; f[FNR] = $2; next }
        FNR > 1 { d = f[FNR] - $2; if (d < 0) d = -d
            small = $2 * $2 <= 1e-4
            if (d > 5e-3 || (label[FNR] != $1 && !small)) exit 1
            n++ } END { exit n != 4000 }' ours.csv theirs.csv
guide 96.875 "with -c 2 -g 2" guide.train.scale guide.test.scale -c 2 -g 2
