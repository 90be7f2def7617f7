/* The paper's similarity of two regexes, from their texts to the number, for the regexes people write.

   The same steps as represent/regex/parse.py, represent/automata/derive.py and similarity.py take, in one pass without Python
   objects: parse, derivatives by class of characters, both automata, their pairs, and counts with whole numbers of any size.
   Whatever is out of the ordinary (a character beyond ASCII, a mistake in the regex, thousands of states) is handed back, and
   Python does it: so there is one place for messages and limits, and this file may be missing.

   Sets of characters are 128 bits. All memory is one arena that is emptied at each call; the interpreter's lock is held. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Set;
typedef uint64_t Limb;

enum { MOST_NODES = 1 << 15, MOST_CLASSES = 40, MOST_STATES = 2000, MOST_PAIRS = 1 << 19, MOST_LENGTH = 400 };
enum { LONGEST = 2000, DEEPEST = 100, LARGEST = 1000, STACK = 1000, NAMES = 32, TABLE = 1 << 16 };
enum { MOST_WORK = 30000000 };     /* steps, some tenths of a second: nobody can interrupt it */
enum Kind { NONE_KIND, CHARS, BOUNDARY, CAT, OR, AND, NOT, REPEAT };

typedef struct {
    Set set;                       /* CHARS; low says whether it was named by what it leaves out */
    Set letters;                   /* all characters that it names */
    uint32_t slot;                 /* its place in the table */
    int a, b;                      /* children; of OR and AND the place and number of their parts */
    int low, high;                 /* REPEAT; high -1: any number of times */
    int state[2];                  /* in the automaton that is being made: elsewhere, and after a word character */
    int next[2][MOST_CLASSES];     /* derivatives by edge and class, -1 where not yet known */
    unsigned char kind, empty[2], boundary, padded, counted;
} Node;

typedef struct {
    int states, *steps;            /* steps[state * classes + class] */
    unsigned char *accepting, *alive;
    int *first, *target, *size;    /* the edges of a state between living ones, with how many characters each has */
} Automaton;

static struct { char name[24], value[64]; int is_class; } names[NAMES];
static int name_count;

static Node *nodes;
static int node_count, *table, *parts, part_count, depth, work;
static Set classes[MOST_CLASSES];
static int class_count, class_size[MOST_CLASSES], class_is_word[MOST_CLASSES];
static char *arena;
static size_t arena_used;
static const size_t ARENA = (size_t)1 << 26;
static jmp_buf give_up;            /* Python has to do it */
enum { NONE, ANY, ALL, EMPTY };    /* the first nodes */
static Set WORD;

static void leave(void) { longjmp(give_up, 1); }

static void spend(int steps) {
    if ((work += steps) > MOST_WORK) leave();
}

static void *take(size_t bytes) {
    char *found = arena + arena_used;
    arena_used += (bytes + 15) & ~(size_t)15;
    if (arena_used > ARENA) leave();
    return found;
}

static void *take_zeros(size_t bytes) { return memset(take(bytes), 0, bytes); }

static Set bit(int character) { return (Set)1 << character; }

static int count_bits(Set set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

/* ---- Trees: equal ones are one node. ---- */

static int parts_flag(int at, int count, int edge, int all) {
    for (int i = 0; i < count; i++)
        if (nodes[parts[at + i]].empty[edge] != all) return !all;
    return all;
}

static void describe(Node *node) {
    int list = node->kind == OR || node->kind == AND, every;
    Node *a = &nodes[list ? 0 : node->a], *b = &nodes[list ? 0 : node->b];
    node->letters = a->letters | b->letters;
    for (int edge = 0; edge < 2; edge++)
        switch (node->kind) {
        case CAT: node->empty[edge] = a->empty[edge] && b->empty[edge]; break;
        case OR: node->empty[edge] = parts_flag(node->a, node->b, edge, 0); break;
        case AND: node->empty[edge] = parts_flag(node->a, node->b, edge, 1); break;
        case NOT: node->empty[edge] = !a->empty[edge]; break;
        case REPEAT: node->empty[edge] = node->low == 0 || a->empty[edge]; break;
        case BOUNDARY: node->empty[edge] = edge; break;
        default: node->empty[edge] = 0;
        }
    switch (node->kind) {
    case CHARS: node->letters = node->low ? ~node->set : node->set; break;
    case BOUNDARY: node->boundary = 1; break;
    case CAT:
        node->boundary = a->boundary || b->boundary;
        node->padded = a->padded;
        node->counted = a->counted || b->counted;
        break;
    case OR: case AND:
        node->padded = 1;
        for (int i = 0; i < node->b; i++) {
            a = &nodes[parts[node->a + i]];
            node->letters |= a->letters;
            node->boundary |= a->boundary;
            node->padded &= a->padded;
        }
        break;
    case NOT: node->boundary = a->boundary; break;
    case REPEAT:
        every = node->a == ANY;
        node->boundary = a->boundary;
        node->padded = (every || a->padded) && node->high < 0 && (node->low > 0 || every);
        node->counted = node->low > 0 && node->high < 0;
        break;
    default: break;
    }
}

static uint32_t mix(uint32_t hash, uint32_t more) { return (hash ^ more) * 2654435761u + (hash >> 15); }

static int same(const Node *node, int kind, int a, int b, int low, int high, Set set) {
    if (node->kind != kind || node->low != low || node->high != high || node->set != set || node->b != b) return 0;
    if (kind == OR || kind == AND) return !memcmp(parts + node->a, parts + a, b * sizeof(int));
    return node->a == a;
}

static int make(int kind, int a, int b, int low, int high, Set set) {
    uint32_t hash = mix(mix(mix(mix(kind, b), low), high), (uint32_t)set ^ (uint32_t)(set >> 32));
    hash = mix(hash, (uint32_t)(set >> 64) ^ (uint32_t)(set >> 96));
    if (kind == OR || kind == AND)
        for (int i = 0; i < b; i++) hash = mix(hash, parts[a + i]);
    else
        hash = mix(hash, a);
    uint32_t slot = (hash ^ hash >> 16) & (TABLE - 1);
    for (; table[slot] >= 0; slot = (slot + 1) & (TABLE - 1))
        if (same(&nodes[table[slot]], kind, a, b, low, high, set)) return table[slot];
    if (node_count >= MOST_NODES) leave();
    Node *node = &nodes[node_count];
    node->letters = 0;
    memset(node->next, -1, sizeof node->next);
    node->kind = kind, node->a = a, node->b = b, node->low = low, node->high = high, node->set = set;
    node->empty[0] = node->empty[1] = node->boundary = node->padded = node->counted = 0;
    node->state[0] = node->state[1] = -1;
    node->slot = slot;
    describe(node);
    if (kind == OR || kind == AND) part_count = a + b > part_count ? a + b : part_count;
    return table[slot] = node_count++;
}

static int chars(Set set, int negated) {
    return set || negated ? make(CHARS, 0, 0, negated, 0, negated ? ~set : set) : NONE;
}

static int cat(int left, int right) {
    if (left == NONE || right == NONE) return NONE;
    if (left == EMPTY) return right;
    if (right == EMPTY) return left;
    if (nodes[left].kind == CAT) {
        if (++depth > STACK) leave();
        int found = cat(nodes[left].a, cat(nodes[left].b, right));
        depth--;
        return found;
    }
    if (left == ALL && nodes[right].padded) return right;
    return make(CAT, left, right, 0, 0, 0);
}

static int at_least(int wide, int narrow) {
    while (wide != narrow) {
        spend(1);
        Node *w = &nodes[wide], *n = &nodes[narrow];
        if (w->kind == CAT && n->kind == CAT) {
            if (w->a == n->a) { wide = w->b, narrow = n->b; continue; }
            if (w->b != n->b) return 0;
            w = &nodes[w->a], n = &nodes[n->a];
        }
        return w->kind == REPEAT && n->kind == REPEAT && w->a == n->a && w->low <= n->low && w->high < 0;
    }
    return 1;
}

static int covers(int wide, int narrow) {
    while (!at_least(wide, narrow)) {
        if (!nodes[wide].padded || nodes[narrow].kind != CAT) return 0;
        narrow = nodes[narrow].b;
    }
    return 1;
}

/* Insert the parts of a node into a sorted list without doubles; its new length. */
static int insert(int *list, int count, int node, int kind) {
    int one = nodes[node].kind != kind, members = one ? 1 : nodes[node].b;
    for (int i = 0; i < members; i++) {
        int part = one ? node : parts[nodes[node].a + i], at = count;
        while (at > 0 && list[at - 1] > part) at--;
        if (at > 0 && list[at - 1] == part) continue;
        if (part_count + count + 2 >= MOST_NODES * 4) leave();
        memmove(list + at + 1, list + at, (count - at) * sizeof(int));
        list[at] = part;
        count++;
    }
    return count;
}

static int drop_covered(int *list, int count) {
    for (int i = 0; i < count; i++) {
        if (!nodes[list[i]].padded && !nodes[list[i]].counted) continue;
        int kept = 0, wide = list[i];
        for (int j = 0; j < count; j++)
            if (list[j] == wide || !covers(wide, list[j])) {
                if (list[j] == wide) i = kept;
                list[kept++] = list[j];
            }
        count = kept;
    }
    return count;
}

static int either(const int *members, int number) {
    int *list = parts + part_count, count = 0;
    for (int i = 0; i < number; i++) {
        if (members[i] == ALL) return ALL;
        if (members[i] != NONE) count = insert(list, count, members[i], OR);
    }
    for (int i = 0; i < count; i++)
        if (list[i] == ALL) return ALL;
    if (count > 1) count = drop_covered(list, count);
    return count == 0 ? NONE : count == 1 ? list[0] : make(OR, part_count, count, 0, 0, 0);
}

static int either_of(int one, int other) {
    int both[2] = {one, other};
    return one == NONE || one == other ? other : other == NONE ? one : either(both, 2);
}

static int all_of(const int *members, int number) {
    int *list = parts + part_count, count = 0;
    for (int i = 0; i < number; i++) {
        if (members[i] == NONE) return NONE;
        if (members[i] != ALL) count = insert(list, count, members[i], AND);
    }
    return count == 0 ? ALL : count == 1 ? list[0] : make(AND, part_count, count, 0, 0, 0);
}

static int complement(int node) {
    if (nodes[node].kind == NOT) return nodes[node].a;
    return node == NONE ? ALL : node == ALL ? NONE : make(NOT, node, 0, 0, 0, 0);
}

static int repeat(int node, int low, int high) {
    if (high == 0 || node == EMPTY) return EMPTY;
    if (node == NONE) return low == 0 ? EMPTY : NONE;
    if (low == 1 && high == 1) return node;
    if (nodes[node].kind == REPEAT && nodes[node].low == 0 && nodes[node].high < 0) return node;
    return make(REPEAT, node, 0, low, high, 0);
}

/* ---- The regex as people write it. ---- */

typedef struct { const char *text; int at, length, depth; } Reader;

static int read_union(Reader *in);

static int peek(Reader *in) { return in->at < in->length ? in->text[in->at] : 0; }
static int at_end(int c) { return c == 0 || c == '|' || c == '&' || c == ')'; }

static Set named_set(int character) {
    Set set = 0;
    if (character == 'd') for (int c = '0'; c <= '9'; c++) set |= bit(c);
    if (character == 'w') set = WORD;
    if (character == 's') set = bit(' ') | bit('\t');
    return set;
}

static Set class_set(const char *text, int length) {
    Set set = 0, known;
    for (int at = 0; at < length;) {
        if (text[at] == '\\' && at + 1 < length) {
            if (strchr("DWS", text[at + 1])) leave();
            known = named_set(text[at + 1]);
            set |= known ? known : bit(text[at + 1]);
            at += 2;
        } else if (at + 2 < length && text[at + 1] == '-') {
            if (text[at + 2] < text[at]) leave();
            for (int c = text[at]; c <= text[at + 2]; c++) set |= bit(c);
            at += 3;
        } else
            set |= bit(text[at++]);
    }
    return set;
}

static int text_of(const char *text) {
    int node = EMPTY;
    for (int i = (int)strlen(text) - 1; i >= 0; i--) node = cat(chars(bit(text[i]), 0), node);
    return node;
}

/* The name that starts here and ends in '>', or -1. */
static int name_at(const char *text, int length) {
    for (int i = 0; i < name_count; i++) {
        int size = (int)strlen(names[i].name);
        if (size < length && text[size] == '>' && !strncmp(text, names[i].name, size)) return i;
    }
    return -1;
}

static int read_class(Reader *in) {
    char inside[4 * LONGEST];
    int negated = peek(in) == '^', end, used = 0, name;
    in->at += negated;
    for (end = in->at; end < in->length && in->text[end] != ']';) end += in->text[end] == '\\' ? 2 : 1;
    if (end >= in->length) leave();
    while (in->at < end) {
        if (used + 70 > (int)sizeof inside) leave();
        if (in->text[in->at] == '<' && (name = name_at(in->text + in->at + 1, end - in->at - 1)) >= 0 &&
            names[name].is_class) {
            strcpy(inside + used, names[name].value);
            used += (int)strlen(names[name].value);
            in->at += (int)strlen(names[name].name) + 2;
        } else
            inside[used++] = in->text[in->at++];
    }
    in->at = end + 1;
    return chars(class_set(inside, used), negated);
}

static int read_escape(Reader *in) {
    int c = peek(in), lower = c | 32;
    if (!c) leave();
    in->at++;
    if (c == 'b') return make(BOUNDARY, 0, 0, 0, 0, 0);
    if (c < 127 && strchr("dws", lower) && (c >= 'A' && c <= 'z')) return chars(named_set(lower), c != lower);
    if ((c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z')) leave();
    return chars(bit(c), 0);
}

static int read_atom(Reader *in) {
    int c = peek(in), name, node;
    in->at++;
    if (c == '(') {
        if (++in->depth > DEEPEST) leave();
        node = read_union(in);
        in->depth--;
        if (peek(in) != ')') leave();
        in->at++;
        return node;
    }
    if (c == '[') return read_class(in);
    if (c == '.') return ANY;
    if (c == '\\') return read_escape(in);
    if (c == '<' && (name = name_at(in->text + in->at, in->length - in->at)) >= 0) {
        in->at += (int)strlen(names[name].name) + 1;
        if (!names[name].is_class) return text_of(names[name].value);
        return chars(class_set(names[name].value, (int)strlen(names[name].value)), 0);
    }
    if (!c || strchr("|&~()[]{}?*+", c)) leave();
    return chars(bit(c), 0);
}

static int read_number(Reader *in) {
    int number = -1;
    for (int digits = 0; peek(in) >= '0' && peek(in) <= '9'; in->at++) {
        if (++digits > 4) leave();
        number = 10 * (number < 0 ? 0 : number) + peek(in) - '0';
    }
    return number;
}

static int read_bounds(Reader *in, int node) {
    int c = peek(in), low, high;
    in->at++;
    if (c == '?') return repeat(node, 0, 1);
    if (c == '*') return repeat(node, 0, -1);
    if (c == '+') return repeat(node, 1, -1);
    low = high = read_number(in);
    if (peek(in) == ',') {
        in->at++;
        high = read_number(in);
        if (low < 0 && high < 0) leave();
    } else if (low < 0)
        leave();
    if (peek(in) != '}') leave();
    in->at++;
    low = low < 0 ? 0 : low;
    if ((high >= 0 && high < low) || low > LARGEST || high > LARGEST) leave();
    return repeat(node, low, high);
}

static int read_prefix(Reader *in) {
    if (peek(in) != '~') return read_atom(in);
    in->at++;
    if (at_end(peek(in)) || ++in->depth > DEEPEST) leave();
    int node = complement(read_prefix(in));
    in->depth--;
    return node;
}

static int read_sequence(Reader *in) {
    int *items = take(sizeof(int) * (in->length - in->at + 1)), count = 0, node = EMPTY;
    while (!at_end(peek(in))) {
        int item = read_prefix(in);
        while (peek(in) && strchr("?*+{", peek(in))) item = read_bounds(in, item);
        items[count++] = item;
    }
    while (count) node = cat(items[--count], node);
    return node;
}

static int read_parts(Reader *in, int sign, int (*read)(Reader *), int (*join)(const int *, int)) {
    int first = read(in), count = 1, *items;
    if (peek(in) != sign) return first;
    items = take(sizeof(int) * (in->length - in->at + 2));
    items[0] = first;
    while (peek(in) == sign) {
        in->at++;
        if (sign == '&' && at_end(peek(in))) leave();
        items[count++] = read(in);
    }
    return join(items, count);
}

static int read_intersection(Reader *in) { return read_parts(in, '&', read_sequence, all_of); }
static int read_union(Reader *in) { return read_parts(in, '|', read_intersection, either); }

static int read_regex(const char *text, int length) {
    Reader in = {text, 0, length, 0};
    if (length > LONGEST) leave();
    for (int i = 0; i < length; i++)
        if (!text[i] || (unsigned char)text[i] > 127) leave();
    int node = read_union(&in);
    if (in.at < length) leave();
    return node;
}

/* ---- Automata. ---- */

static void split(Set set) {
    for (int i = 0, before = class_count; i < before; i++) {
        Set inside = classes[i] & set;
        if (!inside || inside == classes[i]) continue;
        if (class_count == MOST_CLASSES) leave();
        classes[class_count++] = classes[i] ^ inside;
        classes[i] = inside;
    }
}

static void make_classes(const Node *one, const Node *other) {
    int boundary = one->boundary || other->boundary;
    classes[0] = one->letters | other->letters | WORD | (boundary ? bit(' ') : 0);
    class_count = 1;
    if (boundary) split(WORD);
    for (int i = 0; i < node_count; i++)
        if (nodes[i].kind == CHARS) split(nodes[i].set);
    for (int i = 0; i < class_count; i++) {
        class_size[i] = count_bits(classes[i]);
        class_is_word[i] = (classes[i] & WORD) != 0;
    }
}

static int derive(int node, int class, int edge);

static int derive_parts(int node, int class, int edge) {
    int count = nodes[node].b, at = nodes[node].a, *found = take(sizeof(int) * count);
    for (int i = 0; i < count; i++) found[i] = derive(parts[at + i], class, edge);
    return nodes[node].kind == OR ? either(found, count) : all_of(found, count);
}

static int derive_repeat(int node, int class, int edge) {
    int inner = nodes[node].a, low = nodes[node].low, high = nodes[node].high;
    if (node == ALL) return ALL;
    int rest = repeat(inner, low > 0 ? low - 1 : 0, high < 0 ? -1 : high - 1);
    int found = cat(derive(inner, class, edge), rest);
    if (nodes[inner].boundary && rest != node && nodes[inner].empty[edge])
        found = either_of(found, derive(rest, class, edge));
    return found;
}

static int derive(int node, int class, int edge) {
    edge = edge && nodes[node].boundary;
    int found = nodes[node].next[edge][class];
    if (found >= 0) return found;
    if (++depth > STACK) leave();
    spend(1);
    switch (nodes[node].kind) {
    case CHARS: found = (nodes[node].set & classes[class]) ? EMPTY : NONE; break;
    case CAT:
        if (node == EMPTY) { found = NONE; break; }
        found = cat(derive(nodes[node].a, class, edge), nodes[node].b);
        if (nodes[nodes[node].a].empty[edge]) found = either_of(found, derive(nodes[node].b, class, edge));
        break;
    case OR: case AND: found = derive_parts(node, class, edge); break;
    case NOT: found = complement(derive(nodes[node].a, class, edge)); break;
    case REPEAT: found = derive_repeat(node, class, edge); break;
    default: found = NONE;
    }
    depth--;
    return nodes[node].next[edge][class] = found;
}

static void walk(Automaton *made, int start) {
    int *todo = take(sizeof(int) * 2 * (MOST_STATES + 1));
    made->steps = take(sizeof(int) * (MOST_STATES + 1) * class_count);
    made->accepting = take(MOST_STATES + 1);
    made->states = 1;
    for (int i = 0; i < node_count; i++) nodes[i].state[0] = nodes[i].state[1] = -1;
    todo[0] = start, todo[1] = 0, nodes[start].state[0] = 0;
    for (int s = 0; s < made->states; s++) {
        int node = todo[2 * s], last = todo[2 * s + 1];
        made->accepting[s] = nodes[node].empty[last];
        for (int c = 0; c < class_count; c++) {
            int rest = derive(node, c, last != class_is_word[c]);
            int after = class_is_word[c] && nodes[rest].boundary;
            if (nodes[rest].state[after] < 0) {
                if (made->states == MOST_STATES) leave();
                todo[2 * made->states] = rest, todo[2 * made->states + 1] = after;
                nodes[rest].state[after] = made->states++;
            }
            made->steps[s * class_count + c] = nodes[rest].state[after];
        }
    }
}

/* The states from which something is accepted, and the edges between them. */
static void trim(Automaton *made) {
    int changed = 1, used = 0, n = made->states, *at = take_zeros(sizeof(int) * n);
    made->alive = take(n);
    memcpy(made->alive, made->accepting, n);
    while (changed) {
        changed = 0;
        spend(n * class_count);
        for (int s = n - 1; s >= 0; s--)
            for (int c = 0; c < class_count && !made->alive[s]; c++)
                if (made->alive[made->steps[s * class_count + c]]) made->alive[s] = changed = 1;
    }
    made->first = take(sizeof(int) * (n + 1));
    made->target = take(sizeof(int) * n * class_count);
    made->size = take(sizeof(int) * n * class_count);
    for (int s = 0; s < n; s++) {
        made->first[s] = used;
        for (int c = 0; c < class_count && made->alive[s]; c++) {
            int to = made->steps[s * class_count + c];
            if (!made->alive[to]) continue;
            if (at[to] <= made->first[s]) {
                made->target[used] = to, made->size[used] = 0;
                at[to] = ++used;
            }
            made->size[at[to] - 1] += class_size[c];
        }
    }
    made->first[n] = used;
}

/* ---- Pairs of states: whether the languages are equal, and the pairs of living states as one more automaton. ---- */

static int equal(const Automaton *one, const Automaton *other) {
    int width = other->states, count = 1;
    if ((long)one->states * width > MOST_PAIRS) leave();
    unsigned char *met = take_zeros((size_t)one->states * width);
    int *todo = take(sizeof(int) * one->states * width);
    todo[0] = 0, met[0] = 1;
    for (int i = 0; i < count; i++) {
        int a = todo[i] / width, b = todo[i] % width;
        if (one->accepting[a] != other->accepting[b]) return 0;
        for (int c = 0; c < class_count; c++) {
            int to = one->steps[a * class_count + c] * width + other->steps[b * class_count + c];
            if (!met[to]) met[to] = 1, todo[count++] = to;
        }
    }
    return 1;
}

/* Whether any text belongs to both. */
static int pairs(const Automaton *one, const Automaton *other, Automaton *both) {
    int width = other->states, shared = 0, used = 0, *number, *todo, *at;
    number = take((sizeof(int)) * one->states * width);
    todo = take(sizeof(int) * (MOST_STATES + 1));
    at = take_zeros(sizeof(int) * (MOST_STATES + 1));
    memset(number, -1, sizeof(int) * one->states * width);
    both->states = one->alive[0] && other->alive[0];
    both->accepting = take(MOST_STATES + 1);
    both->first = take(sizeof(int) * (MOST_STATES + 2));
    both->target = take(sizeof(int) * MOST_STATES * class_count);
    both->size = take(sizeof(int) * MOST_STATES * class_count);
    todo[0] = 0, number[0] = 0;
    for (int s = 0; s < both->states; s++) {
        int a = todo[s] / width, b = todo[s] % width;
        both->first[s] = used;
        both->accepting[s] = one->accepting[a] && other->accepting[b];
        shared |= both->accepting[s];
        for (int c = 0; c < class_count; c++) {
            int left = one->steps[a * class_count + c], right = other->steps[b * class_count + c];
            if (!one->alive[left] || !other->alive[right]) continue;
            int *place = &number[left * width + right];
            if (*place < 0) {
                if (both->states == MOST_STATES) leave();
                todo[both->states] = left * width + right;
                *place = both->states++;
            }
            if (at[*place] <= both->first[s]) {
                both->target[used] = *place, both->size[used] = 0;
                at[*place] = ++used;
            }
            both->size[at[*place] - 1] += class_size[c];
        }
    }
    both->first[both->states] = used;
    return shared;
}

/* ---- Counting, with numbers of as many limbs as the length asks for. ---- */

typedef struct { const Automaton *of; Limb *now, *following; unsigned char *met, *later; int stride, any; } Counter;

static void begin(Counter *counter, const Automaton *of, int start, int limbs) {
    int n = of->states ? of->states : 1;
    counter->of = of, counter->stride = limbs, counter->any = start;
    counter->now = take_zeros(sizeof(Limb) * n * limbs);
    counter->following = take_zeros(sizeof(Limb) * n * limbs);
    counter->met = take_zeros(n), counter->later = take_zeros(n);
    if (start) counter->now[0] = 1, counter->met[0] = 1;
}

static void add(Limb *to, const Limb *more, Limb times, int limbs) {
    Limb carry = 0;
    spend(limbs);
    for (int i = 0; i < limbs; i++) {
        Set sum = (Set)more[i] * times + to[i] + carry;
        to[i] = (Limb)sum;
        carry = (Limb)(sum >> 64);
    }
}

static void subtract(Limb *from, const Limb *less, int limbs) {
    Limb borrow = 0;
    for (int i = 0; i < limbs; i++) {
        Set rest = (Set)from[i] - less[i] - borrow;
        from[i] = (Limb)rest;
        borrow = (Limb)(rest >> 64) & 1;
    }
}

/* Adds how many texts of the present length are accepted, and goes on to the next one. */
static void advance(Counter *counter, Limb *accepted, int limbs) {
    const Automaton *of = counter->of;
    int stride = counter->stride;
    Limb *now = counter->now, *following = counter->following;
    unsigned char *met = counter->met;
    counter->any = 0;
    for (int s = 0; s < of->states; s++) {
        if (!met[s]) continue;
        if (of->accepting[s]) add(accepted, now + s * stride, 1, limbs);
        for (int e = of->first[s]; e < of->first[s + 1]; e++) {
            int to = of->target[e];
            add(following + to * stride, now + s * stride, of->size[e], limbs);
            counter->later[to] = counter->any = 1;
        }
        memset(now + s * stride, 0, sizeof(Limb) * limbs);
        met[s] = 0;
    }
    counter->now = following, counter->following = now;
    counter->met = counter->later, counter->later = met;
}

static int width_of(const Limb *number, int limbs) {
    while (limbs && !number[limbs - 1]) limbs--;
    return limbs ? 64 * limbs - __builtin_clzll(number[limbs - 1]) : 0;
}

static void shift(Limb *number, int limbs, int bits) {
    int whole = bits / 64, part = bits % 64;
    for (int i = limbs - 1; i >= 0; i--) {
        Limb high = i >= whole ? number[i - whole] : 0, low = i > whole ? number[i - whole - 1] : 0;
        number[i] = part ? high << part | low >> (64 - part) : high;
    }
}

static int at_most(const Limb *one, const Limb *other, int limbs) {
    while (limbs--)
        if (one[limbs] != other[limbs]) return one[limbs] < other[limbs];
    return 1;
}

/* The quotient as Python gives it: rounded once, to even. The first is not the larger one. */
static double quotient(const Limb *shared, const Limb *total, int limbs) {
    Limb top[2 * MOST_LENGTH], below[2 * MOST_LENGTH];
    int wide = width_of(shared, limbs), wider = width_of(total, limbs), room = (wider + 2) / 64 + 1;
    if (!wide) return 0.0;
    if (wider <= 53) return (double)shared[0] / (double)total[0];
    memset(top, 0, sizeof(Limb) * room);
    memset(below, 0, sizeof(Limb) * room);
    memcpy(top, shared, sizeof(Limb) * (limbs < room ? limbs : room));
    memcpy(below, total, sizeof(Limb) * (limbs < room ? limbs : room));
    int exponent = wider - wide;
    shift(top, room, exponent);
    if (!at_most(below, top, room)) shift(top, room, 1), exponent++;
    uint64_t found = 0; /* 1 <= top / below < 2: 53 bits of it and one more */
    for (int i = 0; i < 54; i++) {
        found <<= 1;
        if (at_most(below, top, room)) found |= 1, subtract(top, below, room);
        shift(top, room, 1);
    }
    if (exponent > 1000) leave(); /* too small for a plain number */
    int odd = found & 1, rest = width_of(top, room) > 0;
    found >>= 1;
    if (odd && (rest || (found & 1))) found++;
    return ldexp((double)found, -52 - exponent);
}

static PyObject *answer(double value, int length, int exact) {
    return Py_BuildValue("(diO)", value, length, exact ? Py_True : Py_False);
}

static PyObject *converge(const Automaton *one, const Automaton *other, const Automaton *both, double threshold) {
    enum { LIMBS = (MOST_LENGTH + 2) * 7 / 64 + 3 };
    Limb shared[LIMBS] = {0}, total[LIMBS] = {0}, more[LIMBS];
    Counter left, right, pair;
    double before = -1.0, ratio;
    begin(&left, one, one->alive[0], LIMBS);
    begin(&right, other, other->alive[0], LIMBS);
    begin(&pair, both, both->states > 0, LIMBS);
    for (int length = 0; length < MOST_LENGTH; length++) {
        int limbs = (length + 2) * 7 / 64 + 3;
        if (!left.any && !right.any) return answer(quotient(shared, total, limbs), length - 1, 1);
        memset(more, 0, sizeof(Limb) * limbs);
        advance(&pair, more, limbs);
        add(shared, more, 1, limbs);
        subtract(total, more, limbs); /* may pass below nothing for a moment */
        memset(more, 0, sizeof(Limb) * limbs);
        advance(&left, more, limbs);
        advance(&right, more, limbs);
        add(total, more, 1, limbs);
        if (!width_of(more, limbs)) continue;
        ratio = quotient(shared, total, limbs);
        if (width_of(shared, limbs) && fabs(ratio - before) < threshold) return answer(ratio, length, 0);
        before = ratio;
    }
    leave();
    return NULL;
}

static void start_afresh(void) {
    while (node_count) table[nodes[--node_count].slot] = -1;
    part_count = depth = work = 0;
    arena_used = 0;
    make(NONE_KIND, 0, 0, 0, 0, 0);
    make(CHARS, 0, 0, 1, 0, ~(Set)0);
    make(REPEAT, ANY, 0, 0, -1, 0);
    make(CAT, NONE, NONE, 0, 0, 0);
    nodes[EMPTY].empty[0] = nodes[EMPTY].empty[1] = 1;
}

static PyObject *similarity(PyObject *self, PyObject *args) {
    const char *one, *other;
    Py_ssize_t first, second;
    double threshold;
    if (!PyArg_ParseTuple(args, "s#s#d", &one, &first, &other, &second, &threshold)) return NULL;
    if (first > LONGEST || second > LONGEST) Py_RETURN_NONE;
    if (setjmp(give_up)) Py_RETURN_NONE;
    start_afresh();
    int a = read_regex(one, (int)first), b = read_regex(other, (int)second);
    if (a == b) return answer(1.0, 0, 1);
    make_classes(&nodes[a], &nodes[b]);
    Automaton left, right, both;
    walk(&left, a);
    walk(&right, b);
    if (equal(&left, &right)) return answer(1.0, 0, 1);
    trim(&left);
    trim(&right);
    if (!pairs(&left, &right, &both)) return answer(0.0, 0, 1);
    return converge(&left, &right, &both, threshold);
}

static PyObject *learn(PyObject *self, PyObject *args) {
    const char *name, *value;
    int is_class;
    if (!PyArg_ParseTuple(args, "ssp", &name, &value, &is_class)) return NULL;
    if (name_count == NAMES || strlen(name) >= 20 || strlen(value) >= sizeof names[0].value) {
        PyErr_SetString(PyExc_ValueError, "more or longer names than there is room for");
        return NULL;
    }
    strcpy(names[name_count].name, name);
    strcpy(names[name_count].value, value);
    names[name_count++].is_class = is_class;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"similarity", similarity, METH_VARARGS,
     "similarity(one, other, threshold): value, length and whether it is exact; None where Python has to do it."},
    {"learn", learn, METH_VARARGS, "learn(name, value, is_class): what a name in angle brackets stands for."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    const char *word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    nodes = malloc(sizeof(Node) * MOST_NODES);
    table = malloc(sizeof(int) * TABLE);
    parts = malloc(sizeof(int) * MOST_NODES * 5);
    arena = malloc(ARENA);
    if (!nodes || !table || !parts || !arena) return PyErr_NoMemory();
    memset(table, -1, sizeof(int) * TABLE);
    for (WORD = 0; *word; word++) WORD |= bit(*word);
    return PyModule_Create(&module);
}
