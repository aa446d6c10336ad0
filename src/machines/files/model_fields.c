/* model_fields.c - the kept fields of a struct, each with its name: so that a
 * field that is new is passed over by those who do not know it, and one that a
 * file lacks stays as it is.
 *
 *     how many, then each: its name, how many bytes its value has, the value
 */
#include "machines/files/model.h"

#include <string.h>

const gram_field *gi_model_field_find(const gram_field *fields,
                                      const char *name)
{
    const gram_field *f = fields;

    while (f->name && !(f->kept && strcmp(f->name, name) == 0))
        f++;
    return f->name ? f : NULL;
}

/* Its word; nothing of *x is changed unless the codec reads. */
static gram_status code_choice(gi_codec *c, const gram_field *f, int *x)
{
    gram_status status;
    const char *word = gi_codec_reads(c) ? NULL : f->words[*x];
    int i = 0;

    GI_TRY(gi_codec_word(c, f->words, &word));
    while (f->words[i] != word)
        i++;
    if (gi_codec_reads(c))
        *x = i;
done:
    return status;
}

gram_status gi_model_field(gi_codec *c, const gram_field *f, void *of)
{
    void *at = (char *)of + f->offset;

    switch (f->type) {
    case GRAM_FIELD_REAL:
        return gi_codec_real(c, at);
    case GRAM_FIELD_WHOLE:
        return gi_codec_size(c, at);
    case GRAM_FIELD_FLAG:
        return gi_codec_whole(c, at);
    case GRAM_FIELD_CHOICE:
        return code_choice(c, f, at);
    default:
        return gi_codec_word(c, f->words, at);
    }
}

static gram_status write_field(gi_codec *c, const gram_field *f, void *of)
{
    gram_status status;
    gi_codec count = {.run = c->run};
    char *name = (char *)f->name;

    GI_TRY(gi_model_field(&count, f, of));
    GI_TRY(gi_codec_text(c, &name));
    GI_TRY(gi_codec_number(c, &count.at));
    GI_TRY(gi_model_field(c, f, of));
done:
    return status;
}

static gram_status read_field(gi_codec *c, const gram_field *fields, void *of)
{
    gram_status status;
    const gram_field *f;
    uint64_t length = 0, end;
    char *name = NULL;

    GI_TRY(gi_codec_text(c, &name));
    GI_TRY(gi_codec_number(c, &length));
    GI_TRY(gi_codec_expect(c, (size_t)length, 1));
    end = c->at + length;
    f = gi_model_field_find(fields, name);
    GI_TRY(f ? gi_model_field(c, f, of) : gi_codec_skip(c, length));
    if (c->at != end)
        GI_TRY(gi_model_bad(c, "a field longer or shorter than it says"));
done:
    gi_free(name);
    return status;
}

gram_status gi_model_code_fields(gi_codec *c, const gram_field *fields,
                                 void *of)
{
    gram_status status;
    size_t count = 0;

    for (const gram_field *f = fields; f->name; f++)
        count += f->kept != 0;
    GI_TRY(gi_codec_size(c, &count));
    GI_TRY(gi_codec_expect(c, count, 2 * sizeof(uint64_t)));
    for (size_t i = 0; gi_codec_reads(c) && i < count; i++)
        GI_TRY(read_field(c, fields, of));
    for (const gram_field *f = fields; !gi_codec_reads(c) && f->name; f++)
        if (f->kept)
            GI_TRY(write_field(c, f, of));
done:
    return status;
}
