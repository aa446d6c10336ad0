/* model.h - the parts of a model file, and the files.
 *
 * Each part is one function of the fields of a machine, which counts, writes or
 * reads them (codec.h).  Version 2 has them in chunks with names (model.c), in
 * this order; version 1, which is only read, had some of them in another form
 * and all without names (model_v1.c).
 */
#ifndef GI_MODEL_H
#define GI_MODEL_H

#include "base/codec.h"
#include "machines/machine.h"

/* model_parts.c; reading needs those before it. */
gram_status gi_model_rows(gi_codec *c, gram_machine *m);
gram_status gi_model_kernel(gi_codec *c, gram_machine *m);
gram_status gi_model_loss(gi_codec *c, gram_machine *m);
gram_status gi_model_targets(gi_codec *c, gram_machine *m);
gram_status gi_model_classes(gi_codec *c, gram_machine *m);
gram_status gi_model_solutions(gi_codec *c, gram_machine *m);
gram_status gi_model_report(gi_codec *c, gram_machine *m);
gram_status gi_model_options(gi_codec *c, gram_machine *m);
gram_status gi_model_warnings(gi_codec *c, gram_machine *m);
gram_status gi_model_notes(gi_codec *c, gram_machine *m);

/* model_schema.c: what was learned from the table. */
gram_status gi_model_schema(gi_codec *c, gram_machine *m);

/* model_table.c: write *table, or read it into a new one. */
gram_status gi_model_code_table(gi_codec *c, gram_table **table);

/* model_fields.c: a kept field of the struct `of`, as a real, number, whole or
 * text; that of a name, NULL if there is none; and all of them, with names. */
gram_status gi_model_field(gi_codec *c, const gram_field *f, void *of);
const gram_field *gi_model_field_find(const gram_field *fields,
                                      const char *name);
gram_status gi_model_code_fields(gi_codec *c, const gram_field *fields,
                                 void *of);

/* A sentence on a file that cannot be right. */
gram_status gi_model_bad(const gi_codec *c, const char *what);

/* model_v1.c: the body of a file of version 1. */
gram_status gi_model_read_v1(gi_codec *c, gram_machine *m);

/* The machine in a file that was opened. */
gram_status gi_model_read(gi_run *run, gi_input *in, gram_machine **out);

#endif
