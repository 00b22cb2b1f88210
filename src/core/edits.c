/* core/edits.c - how alike two words are. */
#include "core/edits.h"

#include <string.h>

int soa_edits(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    int row[SOA_EDITS_WORD + 1];
    if (n > SOA_EDITS_WORD || m > SOA_EDITS_WORD) {
        return SOA_EDITS_WORD;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            const int changed = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[m];
}

soa_nearest soa_nearest_to(const char *wanted)
{
    const size_t length = strlen(wanted);
    const int reach = length <= 1 ? 0 : length <= 3 ? 1 : 2;
    return (soa_nearest){ wanted, NULL, reach + 1 };
}

void soa_nearest_offer(soa_nearest *nearest, const char *known)
{
    const int edits = soa_edits(nearest->wanted, known);
    if (edits < nearest->least) {
        nearest->least = edits;
        nearest->found = known;
    }
}
