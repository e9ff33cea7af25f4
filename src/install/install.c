#include "install/install.h"

bool install_argument_check(struct text value, struct err *err)
{
    bool is_good = value.length > 0 && value.length <= INSTALL_WORD_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        is_good = value.data[i] > ' ' && value.data[i] <= '~' && value.data[i] != '"' &&
                  value.data[i] != '\'' && value.data[i] != '\\';
    }
    if (is_good) {
        return true;
    }
    err_set(err, CODE_R0310, "'%.*s' cannot be a kernel argument",
            TEXT_ARG(text_slice(value, 0, INSTALL_WORD_BYTES)));
    return err_hint(err, "write one argument for each item, without blanks and quotes: "
                         "[console=ttyS1, quiet]");
}

bool install_pattern_check(struct text value, struct err *err)
{
    bool is_good = value.length > 0 && value.length <= INSTALL_WORD_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];

        is_good = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '*' ||
                  byte == '?';
    }
    if (is_good) {
        return true;
    }
    err_set(err, CODE_R0310, "'%.*s' cannot match the name of a disk",
            TEXT_ARG(text_slice(value, 0, INSTALL_WORD_BYTES)));
    return err_hint(err, "write the name that the kernel gives the disk: sda, vda, nvme*");
}
