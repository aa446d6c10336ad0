/* loss_softmax.c - V = log sum_c exp(f_c) - f_y: logistic regression of several
 * classes at once.
 *
 * A function of all f_c together, which does not fit the table: a solver that
 * takes it has its own derivatives.
 */
#include "gram_plugin.h"

const gram_loss_class gi_loss_softmax = {
    .name = "softmax",
    .formula = "log sum_c exp(f_c) - f_y",
    .help = "probabilities of several classes at once",
    .flags = GRAM_LOSS_CLASSES | GRAM_LOSS_SMOOTH | GRAM_LOSS_JOINT,
};
