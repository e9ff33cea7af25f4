#include "page/page.h"

#include "page/table.h"

#include <assert.h>

bool page_is_there(void)
{
    return page_table_is_whole;
}

const char *page_folder(void)
{
    return page_table_folder;
}

const struct page_file *page_find(struct text name)
{
    for (size_t i = 0; i < page_table_count; i++) {
        if (text_is(name, page_table[i].name)) {
            return &page_table[i];
        }
    }
    return NULL;
}

const struct page_file *page_start(void)
{
    const struct page_file *file = page_find(TEXT("index.html"));

    assert(file != NULL && "embed.py always writes one");
    return file;
}
