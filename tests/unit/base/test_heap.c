#include "base/heap.h"

#include "base/macros.h"
#include "unit.h"

struct job {
    int number;
    struct heap_node waiting;
};

/* Removes the earliest job from the heap. Fails the test if the heap is empty. */
static struct job *earliest_take(struct heap *heap)
{
    struct heap_node *node = heap_first(heap);

    assert_non_null(node);
    heap_remove(heap, node);
    assert_false(node->is_in);
    return heap_owner(node, struct job, waiting);
}

static void an_empty_heap_has_no_first(void **state)
{
    struct heap heap = { 0 };

    (void)state;
    assert_null(heap_first(&heap));
    heap_clear(&heap);
    assert_null(heap_first(&heap));
}

static void nodes_leave_by_time_and_equal_times_as_they_came(void **state)
{
    struct job jobs[500] = { 0 };
    struct heap heap = { 0 };
    const struct job *last;
    uint32_t random = 1;

    (void)state;
    for (int range = 1; range <= 1000; range *= 10) {
        for (size_t i = 0; i < ARRAY_COUNT(jobs); i++) {
            jobs[i].number = (int)i;
            heap_put(&heap, &jobs[i].waiting, unit_random(&random) % (uint32_t)range);
            assert_true(jobs[i].waiting.is_in);
        }
        assert_int_equal(heap.count, ARRAY_COUNT(jobs));
        last = earliest_take(&heap);
        for (size_t i = 1; i < ARRAY_COUNT(jobs); i++) {
            const struct job *next = earliest_take(&heap);

            assert_true(last->waiting.due <= next->waiting.due);
            if (last->waiting.due == next->waiting.due) {
                assert_true(last->number < next->number);
            }
            last = next;
        }
        assert_null(heap_first(&heap));
    }
    heap_clear(&heap);
}

static void a_node_that_is_put_again_moves(void **state)
{
    static const struct {
        int moved;
        uint64_t due;
        int order[3];
    } cases[] = {
        { 2, 5, { 2, 0, 1 } },  /* to the front */
        { 0, 40, { 1, 2, 0 } }, /* to the end */
        { 0, 25, { 1, 0, 2 } },
        { 0, 20, { 1, 0, 2 } }, /* after the job that already has this time */
        { 1, 20, { 0, 1, 2 } },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct job jobs[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };
        struct heap heap = { 0 };

        for (size_t j = 0; j < 3; j++) {
            heap_put(&heap, &jobs[j].waiting, 10 * (j + 1));
        }
        heap_put(&heap, &jobs[cases[i].moved].waiting, cases[i].due);
        assert_int_equal(heap.count, 3);
        for (size_t j = 0; j < 3; j++) {
            assert_int_equal(earliest_take(&heap)->number, cases[i].order[j]);
        }
        heap_clear(&heap);
    }
}

/* The last node takes the place of the removed node, and may have to move up from there. */
static void any_node_can_leave(void **state)
{
    static const uint64_t times[] = { 1, 10, 2, 11, 12, 3, 4, 13, 14, 15, 16, 5 };

    (void)state;
    for (size_t left = 0; left < ARRAY_COUNT(times); left++) {
        struct job jobs[ARRAY_COUNT(times)] = { 0 };
        struct heap heap = { 0 };
        uint64_t last = 0;

        for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
            heap_put(&heap, &jobs[i].waiting, times[i]);
        }
        heap_remove(&heap, &jobs[left].waiting);
        assert_int_equal(heap.count, ARRAY_COUNT(times) - 1);
        heap_remove(&heap, &jobs[left].waiting); /* the job was already removed */
        assert_int_equal(heap.count, ARRAY_COUNT(times) - 1);
        while (heap_first(&heap) != NULL) {
            const struct job *job = earliest_take(&heap);

            assert_ptr_not_equal(job, &jobs[left]);
            assert_true(job->waiting.due > last);
            last = job->waiting.due;
        }
        heap_clear(&heap);
    }
}

static void remove_from_another_heap(void)
{
    struct heap_node nodes[2] = { 0 };
    struct heap first = { 0 };
    struct heap second = { 0 };

    heap_put(&first, &nodes[0], 1);
    heap_put(&second, &nodes[1], 1);
    heap_remove(&second, &nodes[0]);
}

static void a_node_of_another_heap_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(remove_from_another_heap));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_heap_has_no_first),
        cmocka_unit_test(nodes_leave_by_time_and_equal_times_as_they_came),
        cmocka_unit_test(a_node_that_is_put_again_moves),
        cmocka_unit_test(any_node_can_leave),
        cmocka_unit_test(a_node_of_another_heap_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
