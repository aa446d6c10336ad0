/* svm_log.c - how training went, in LIBSVM's lines and numbers.
 *
 * LIBSVM minimises half |f|^2 + C sum V, which is C times our objective P, and
 * prints minus its dual, -C (P - gap).  Of nu-machines it prints the dual of
 * the problem with nu, which lacks what nu fixes: the sum of all |alpha|.
 */
#include <math.h>
#include <stdlib.h>

#include "svm_train.h"

/* Pair (i, j) of the problem's classes: the machine's output, and the sign
 * that makes it positive for i. */
static size_t find_output(const gram_report *r, int i, int j, double *sign)
{
    size_t a = 0, b = 0;

    for (size_t k = 0; k < r->classes; k++) {
        double label = strtod(r->class_name[k], NULL);

        a = label == i ? k : a;
        b = label == j ? k : b;
    }
    *sign = a > b ? 1 : -1;
    if (a > b) {
        size_t keep = a;

        a = b;
        b = keep;
    }
    return a * r->classes - a * (a + 1) / 2 + b - a - 1;
}

static double weight_of(const svm_parameters *o, int label)
{
    for (size_t w = o->weights; w-- > 0;)
        if (o->s == C_SVC && o->w[w].label == label)
            return o->w[w].value;
    return 1;
}

/* `rows` took part; `weight` is that of their C, 0: it differs. */
static void print_output(const svm_parameters *o, const gram_output *q,
                         size_t rows, double weight, double sign)
{
    double C = 1 / (2 * q->lambda), n = (double)rows;
    double dual = -C * (q->objective - q->gap), rho = -sign * q->intercept;

    printf("*\noptimization finished, #iter = %zu\n", q->steps);
    if (o->s == C_SVC && weight > 0)
        printf("nu = %f\n", q->sum / (weight * C * n));
    else if (o->s == NU_SVC) {
        printf("C = %f\n", C);
        dual += q->sum;
    } else if (o->s == EPSILON_SVR)
        printf("nu = %f\n", q->sum / (C * n));
    else if (o->s == NU_SVR) {
        printf("epsilon = %f\n", q->epsilon);
        dual -= q->epsilon * q->sum;
    } else if (o->s == ONE_CLASS) {
        /* its coefficients add up to nu n */
        double scale = o->n * n / q->sum;

        dual = -(q->objective - q->gap) * scale * scale;
        rho *= scale;
    }
    printf("obj = %f, rho = %f\n", dual, rho);
    printf("nSV = %zu, nBSV = %zu\n", q->support, q->bounded);
}

void svm_log(const svm_problem *p, const gram_machine *m)
{
    const gram_report *r = gram_machine_report(m);
    gram_output q;
    double sign;

    if (!r->classes) {
        q = gram_machine_output(m, 0);
        print_output(p->o, &q, p->n, 1, 1);
        return;
    }
    for (size_t i = 0; i < p->classes; i++)
        for (size_t j = i + 1; j < p->classes; j++) {
            double weight = weight_of(p->o, p->label[i]);

            q = gram_machine_output(
                m, find_output(r, p->label[i], p->label[j], &sign));
            if (weight != weight_of(p->o, p->label[j]))
                weight = 0;
            print_output(p->o, &q, p->count[i] + p->count[j], weight, sign);
        }
    printf("Total nSV = %zu\n", r->support);
}
