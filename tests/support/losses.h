/* losses.h - which loss it is, for tests that know formulas of some of them.
 */
#ifndef LOSSES_H
#define LOSSES_H

#include <string.h>

#include "losses/loss.h"

static inline int loss_is(const gi_loss *loss, const char *name)
{
    return strcmp(loss->class_->name, name) == 0;
}

#endif
