/* lists.h - functions of arrays from lists: SOA_BATCH_name(ARG, STATES, IN, OUT) of soa/batch.h and the like.
 *
 * DEFINE_FUNCTION(LIST, name, one, CALL) makes function_name: its arrays, their sizes, and a call of it. Inside CALL, r is
 * the request; the arguments of the list follow it. */
#ifndef SOA_PYTHON_LISTS_H
#define SOA_PYTHON_LISTS_H

#define LIST_NOTHING(a, b)
#define LIST_EMPTY
#define LIST_HAS(type, name)         | HAS_##name
#define LIST_AT(name, numbers)       AT_##name,
#define LIST_MEASURE(name, numbers)  *n++ = (size_t)(numbers);
#define LIST_IN(name, numbers)       { #name, false, #numbers },
#define LIST_OUT(name, numbers)      { #name, true, #numbers },
#define LIST_PASS(type, name)        r->name,
#define LIST_STATES                  r->states,
#define LIST_PASS_ARRAY(name, x)     r->array[AT_##name],
#define LIST_ARGUMENTS(LIST, name)   LIST##name(LIST_PASS, LIST_STATES, LIST_PASS_ARRAY, LIST_PASS_ARRAY)
#define LIST_ARGUMENTS_1(LIST, name) LIST##name(LIST_PASS, LIST_EMPTY, LIST_PASS_ARRAY, LIST_PASS_ARRAY)

#define LIST_SIZES(s)                                                                                        \
    const soa_model *const m = (s)->m;                                                                       \
    const size_t nq = (s)->nq, nv = (s)->nv, bodies = (s)->bodies, links = (s)->links, points = (s)->points, \
                 rows = (s)->rows, dofs = (s)->dofs;                                                         \
    (void)m, (void)nq, (void)nv, (void)bodies, (void)links, (void)points, (void)rows, (void)dofs

#define DEFINE_FUNCTION(LIST, name, one, CALL)                                                                        \
    static const array_info arrays_##name[] = { LIST##name(LIST_NOTHING, LIST_EMPTY, LIST_IN, LIST_OUT) };            \
    static void measure_##name(const sizes *s, size_t *n)                                                             \
    {                                                                                                                 \
        LIST_SIZES(s);                                                                                                \
        LIST##name(LIST_NOTHING, LIST_EMPTY, LIST_MEASURE, LIST_MEASURE)(void) n;                                     \
    }                                                                                                                 \
    static soa_status call_##name(const request *r, soa_error *error)                                                 \
    {                                                                                                                 \
        enum { LIST##name(LIST_NOTHING, LIST_EMPTY, LIST_AT, LIST_AT) ARRAYS };                                       \
        return CALL;                                                                                                  \
    }                                                                                                                 \
    static const function function_##name = { #name, 0u LIST##name(LIST_HAS, LIST_EMPTY, LIST_NOTHING, LIST_NOTHING), \
        (int)(sizeof arrays_##name / sizeof *arrays_##name), arrays_##name, measure_##name, call_##name, one };

#define DEFINE_METHOD(owner, name)                                                     \
    static PyObject *method_##name(PyObject *self, PyObject *args, PyObject *keywords) \
    {                                                                                  \
        return binding_run(self, &(owner), &function_##name, args, keywords);          \
    }

#define METHOD_ROW(name) \
    { #name, (PyCFunction)(void (*)(void))method_##name, METH_VARARGS | METH_KEYWORDS, DOC_##name },

#endif
