#ifndef REEVE_PAGE_IMPORTS_H
#define REEVE_PAGE_IMPORTS_H

#include "base/mem.h"
#include "base/text.h"

/* public names start with: page_ */

/* Returns a module of the page with names of libraries replaced by paths, as embed.py does, because
 * browsers cannot resolve package names. `name` is the name of the module itself, such as
 * app/shell.js. Unknown names are not replaced; the browser reports them. */
struct text page_imports_resolve(struct arena *arena, struct text name, struct text module);

#endif
