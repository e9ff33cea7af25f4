#ifndef REEVE_PAGE_IMPORTS_H
#define REEVE_PAGE_IMPORTS_H

#include "base/mem.h"
#include "base/text.h"

/* public names start with: page_ */

/* Returns a module of the page with library names replaced by paths, like embed.py, because
 * browsers know no packages. `name` is the module's own name, such as app/shell.js. Unknown names
 * remain, and the browser reports them. */
struct text page_imports_resolve(struct arena *arena, struct text name, struct text module);

#endif
