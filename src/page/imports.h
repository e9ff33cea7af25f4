#ifndef REEVE_PAGE_IMPORTS_H
#define REEVE_PAGE_IMPORTS_H

#include "base/mem.h"
#include "base/text.h"

/* names: page_ */

/* A module of the page with paths in the place of the names of libraries, as embed.py writes them:
 * browsers know no packages. `name` is the module's own, app/shell.js. Other names stay: the
 * browser says which one it does not know. */
struct text page_imports_resolve(struct arena *arena, struct text name, struct text module);

#endif
