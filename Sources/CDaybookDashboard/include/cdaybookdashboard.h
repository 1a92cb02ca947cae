// The templates, the style and the script of the dashboard, put into the program when it is built.
#ifndef CDAYBOOKDASHBOARD_H
#define CDAYBOOKDASHBOARD_H

#include <stddef.h>

struct daybook_file {
    // With its extension, UTF-8, such as "page.mustache".
    const char *name;
    const unsigned char *bytes;
    size_t byteCount;
};

// All files, in the order of their names; they are there as long as the program is.
const struct daybook_file *daybook_dashboard_files(size_t *count);

#endif
