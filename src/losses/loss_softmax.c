/* loss_softmax.c - V = log sum_c exp(f_c) - f_y: logistic regression of several
 * classes at once.
 *
 * It is a function of all f_c together and does not fit the table of a class:
 * the solver that takes it has the derivatives.
 */
#include "gram_plugin.h"

const gram_loss_class gi_loss_softmax = {
    .name = "softmax",
    .formula = "log sum_c exp(f_c) - f_y",
    .help = "probabilities of several classes at once",
    .flags = GRAM_LOSS_CLASSES | GRAM_LOSS_SMOOTH | GRAM_LOSS_JOINT,
};
