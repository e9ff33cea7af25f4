/* The XML reader: rows, the elements outside of rows, and the limits. */
#include "unit.h"

#include "base/buf.h"
#include "xml.h"

struct rows {
    unsigned count;
    unsigned most;
    char ids[256];
};

static bool on_row(void *arg, const struct xml_node *row)
{
    struct rows *rows = arg;
    struct text id = xml_text(row, "id");

    size_t used = strlen(rows->ids);

    (void)snprintf(rows->ids + used, sizeof(rows->ids) - used, " %.*s", TEXT_ARG(id));
    rows->count++;
    return rows->most == 0 || rows->count < rows->most;
}

static const char listing[] =
    "<?xml version=\"1.0\"?>\n<A xmlns=\"http://x/\">\n <set><item><id>r1</id>"
    "<in><item><id>a</id><t>x &amp; y</t></item><item><id>b</id></item></in></item>\n"
    " <item><in><item><id>c</id></item></in></item><item/></set><token> n&#x31; </token></A>";

static const struct xml_node *read_listing(struct arena *arena, struct text bytes, size_t step,
                                           const char *path, struct rows *rows)
{
    struct xml_reader *reader = xml_reader_new(arena, text_from(path), on_row, rows);
    const struct xml_node *root = NULL;
    bool goes_on = true;

    for (size_t i = 0; i < bytes.length && goes_on; i += step) {
        goes_on = xml_reader_add(reader, text_slice(bytes, i, step));
    }
    if (goes_on) {
        root = xml_reader_end(reader);
    }
    xml_reader_free(reader);
    return root;
}

static void rows_and_rest(void **state)
{
    struct text bytes = text_from(listing);

    (void)state;
    for (size_t step = 1; step <= bytes.length; step += 7) {
        AUTO(arena) arena = arena_new_small(1 << 20);
        struct rows rows = { 0 };
        const struct xml_node *root = read_listing(arena, bytes, step, "set/item/in/item", &rows);

        assert_non_null(root);
        assert_string_equal(rows.ids, " a b c");
        assert_text(root->name, "A");
        assert_text(xml_text(root, "token"), "n1");
        assert_text(xml_text(root, "set/item/id"), "r1");
        assert_null(xml_find(root, "set/item/in/item"));
        assert_null(xml_find(root, "nothing"));
    }
}

static void whole_tree(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    const struct xml_node *root = xml_parse(arena, text_from(listing));

    (void)state;
    assert_text(xml_text(root, "set/item/in/item/t"), "x & y");
    assert_text(xml_find(root, "set/item/in/item")->next->first->text, "b");
    assert_text(xml_text(NULL, "x"), "");
}

static void broken_documents(void **state)
{
    static const char *const broken[] = {
        "",
        "text",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
        "<a>&unknown;</a>",
        "<a>\xff</a>",
        "<html><body>503<br></body></html>",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(broken); i++) {
        AUTO(arena) arena = arena_new_small(1 << 20);

        assert_null(xml_parse(arena, text_from(broken[i])));
    }
}

static void on_row_stops(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct rows rows = { .most = 2 };

    (void)state;
    assert_null(read_listing(arena, text_from(listing), 10, "set/item/in/item", &rows));
    assert_int_equal(rows.count, 2);
}

/* Returns a document that repeats a part. */
static struct text repeated(struct arena *arena, const char *head, const char *part, size_t count,
                            const char *tail)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, head);
    for (size_t i = 0; i < count; i++) {
        buf_add_string(&buf, part);
    }
    buf_add_string(&buf, tail);
    return buf_text(&buf);
}

static void bounds(void **state)
{
    AUTO(arena) arena = arena_new_small(256 << 20);
    AUTO(arena) room = arena_new_small(64 << 20);
    struct rows rows = { 0 };
    struct text many = repeated(arena, "<a><set>", "<item><id>x</id></item>", 200000, "</set></a>");

    (void)state;
    assert_null(xml_parse(room, repeated(arena, "", "<a>", 65, "")));
    assert_null(xml_parse(room, repeated(arena, "<a>", "<b/>", 100001, "</a>")));
    assert_null(xml_parse(room, repeated(arena, "<a>", "12345678", 1100000, "</a>")));
    /* rows do not count for the limit of the rest, and their memory is reused */
    arena_clear(room);
    assert_non_null(read_listing(room, many, 65536, "set/item", &rows));
    assert_int_equal(rows.count, 200000);
    assert_true(arena_used(room) < 64 * 1024);
    assert_null(read_listing(
        room, repeated(arena, "<a><set><item>", "<id>x</id>", 10001, "</item></set></a>"), 65536,
        "set/item", &rows));
}

static const char wide[] =
    "<?xml version=\"1.0\"?>\n<!-- <set> --><A xmlns=\"http://x/\" y='a>b'><more><id>m</id></more><set>"
    "<item><id>r1</id><net><id>no</id><item><id>no</id></item></net><net/><note a=\"/>\"><!-- </note> -->"
    "<![CDATA[</item>]]><?pi </note>?></note><in><net>yes</net></in></item><net><id>s</id></net>\n"
    "<item ><none /><id >r2</id ></item ></set><net>rest</net></A>";

struct kept {
    unsigned count;
    char text[256];
};

static bool on_kept_row(void *arg, const struct xml_node *row)
{
    struct kept *out = arg;
    size_t used = strlen(out->text);

    assert_null(xml_find(row, "net"));
    assert_null(xml_find(row, "note"));
    assert_null(xml_find(row, "none"));
    (void)snprintf(out->text + used, sizeof(out->text) - used, " %.*s:%.*s",
                   TEXT_ARG(xml_text(row, "id")), TEXT_ARG(xml_text(row, "in/net")));
    out->count++;
    return true;
}

static void rows_without_what_is_not_read(void **state)
{
    static const char *const names[] = { "id", "in", NULL };
    struct text bytes = text_from(wide);

    (void)state;
    for (size_t step = 1; step <= bytes.length; step++) {
        AUTO(arena) arena = arena_new_small(1 << 20);
        struct kept out = { 0 };
        struct xml_reader *reader = xml_reader_new(arena, TEXT("set/item"), on_kept_row, &out);
        const struct xml_node *root;

        xml_reader_keep(reader, names);
        for (size_t i = 0; i < bytes.length; i += step) {
            assert_true(xml_reader_add(reader, text_slice(bytes, i, step)));
        }
        root = xml_reader_end(reader);
        assert_non_null(root);
        assert_string_equal(out.text, " r1:yes r2:");
        assert_text(xml_text(root, "more/id"), "m");
        assert_text(xml_text(root, "set/net/id"), "s");
        assert_text(xml_text(root, "net"), "rest");
        xml_reader_free(reader);
    }
}

static void broken_documents_with_a_filter(void **state)
{
    static const char *const names[] = { "id", NULL };
    static const char *const broken[] = {
        "",
        "<a><set><item><net>",
        "<a><set><item><net></item></set></a>",
        "<a><set><item><id></net></id></item></set></a>",
        "<a><set><item><id>&x;</id></item></set></a>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a><set/></a>",
        "</a>",
        "<a><set><",
        "<a><set><item><!-- ",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(broken); i++) {
        AUTO(arena) arena = arena_new_small(1 << 20);
        struct kept out = { 0 };
        struct xml_reader *reader = xml_reader_new(arena, TEXT("set/item"), on_kept_row, &out);
        bool is_read;

        xml_reader_keep(reader, names);
        is_read = xml_reader_add(reader, text_from(broken[i])) && xml_reader_end(reader) != NULL;
        assert_false(is_read);
        xml_reader_free(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_rest),
        cmocka_unit_test(whole_tree),
        cmocka_unit_test(broken_documents),
        cmocka_unit_test(on_row_stops),
        cmocka_unit_test(bounds),
        cmocka_unit_test(rows_without_what_is_not_read),
        cmocka_unit_test(broken_documents_with_a_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
