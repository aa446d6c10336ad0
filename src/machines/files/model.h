/* model.h - what the files that write and read models share. */
#ifndef GI_MODEL_H
#define GI_MODEL_H

#include "base/codec.h"

/* Write *table, or read it into a new one. */
gram_status gi_model_code_table(gi_codec *c, gram_table **table);

/* What was learned from the table, at the end of the body. */
gram_status gi_model_code_schema(gi_codec *c, gram_machine *m);

/* The machine in a file that was opened. */
gram_status gi_model_read(gi_run *run, gi_input *in, gram_machine **out);

#endif
