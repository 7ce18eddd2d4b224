// plot_table.h: what of a world's state can be drawn, and how, read out of its field tables. No world is known by name here.
#pragma once

#include "tickproof/layout.h"

enum {
    PLOT_NAME_SIZE  = 2 * TP_NAME_SIZE_MAX + 16,
    PLOT_STATES_MAX = 512, ///< names of an enum with a strip; a larger one is drawn as a number
};

typedef enum {
    PLOT_NUMBER, ///< a line for each element
    PLOT_STATES, ///< a strip for each element: enums, flags, yes or no
} PlotKind;

/// One row of one section's table. A row of several values counts each as an element of its own.
typedef struct {
    uint32_t        section;
    const tp_field *field;
    const tp_field *generation;    ///< of a pool's slots: odd in a live one; what a free one holds is nothing
    PlotKind        kind;
    bool            is_rate;       ///< the change from tick to tick is drawn, while it is a rise
    bool            is_candidate;  ///< the rule may choose it; else only --fields does
    bool            is_of_slots;   ///< element n belongs to slot n
    unsigned        fraction_bits; ///< a raw value counts 2^-fraction_bits units
    uint32_t        elements;
    uint32_t        element_size;  ///< bytes from one element of the section to the next
    uint32_t        state_count;   ///< of STATES
    int             weight;        ///< what its section and unit are worth to the rule
    int             stake;         ///< what is won and lost: 2, how long one lasts: 1, else 0
    char            name[PLOT_NAME_SIZE]; ///< "section.field", "section.field/tick" for a rate
    char            unit[48];
} PlotField;

/// Fields in table order, at most `capacity`; returns how many there are. An opaque world has none.
uint32_t plot_table_fields(const tp_layout *layout, PlotField *fields, uint32_t capacity);

/// Element `index` of the field in a flat block. Of a u64 above INT64_MAX: INT64_MAX. Of STATES: the number of its state.
int64_t plot_table_value(const PlotField *field, const tp_view *view, uint32_t index);

/// 0 of an element in a free slot of a pool, which has no value; else it is another number after the slot was freed and taken again.
uint32_t plot_table_generation(const PlotField *field, const tp_view *view, uint32_t index);

/// What a state is called.
const char *plot_table_state_name(const PlotField *field, uint32_t state);
/// "section[2].field", "section.field[3]": an element's own name.
void plot_table_element_name(const PlotField *field, const tp_layout *layout, uint32_t index, char text[PLOT_NAME_SIZE]);

/// Two numbers of one section that say where something is: x and y, or the first two named so at their end, in one unit.
typedef struct {
    uint32_t  section;
    PlotField x, y;
} PlotPair;
uint32_t plot_table_pairs(const tp_layout *layout, const PlotField *fields, uint32_t count, PlotPair *pairs, uint32_t capacity);
