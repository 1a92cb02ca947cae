#include "cdaybookdashboard.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char action_mustache[] = {
#embed "templates/action.mustache"
};
static const unsigned char behind_mustache[] = {
#embed "templates/behind.mustache"
};
static const unsigned char board_mustache[] = {
#embed "templates/board.mustache"
};
static const unsigned char catalog_changes_mustache[] = {
#embed "templates/catalog-changes.mustache"
};
static const unsigned char catalog_mustache[] = {
#embed "templates/catalog.mustache"
};
static const unsigned char changes_mustache[] = {
#embed "templates/changes.mustache"
};
static const unsigned char compare_mustache[] = {
#embed "templates/compare.mustache"
};
static const unsigned char customer_mustache[] = {
#embed "templates/customer.mustache"
};
static const unsigned char customers_mustache[] = {
#embed "templates/customers.mustache"
};
static const unsigned char event_mustache[] = {
#embed "templates/event.mustache"
};
static const unsigned char events_mustache[] = {
#embed "templates/events.mustache"
};
static const unsigned char experiment_mustache[] = {
#embed "templates/experiment.mustache"
};
static const unsigned char explain_mustache[] = {
#embed "templates/explain.mustache"
};
static const unsigned char field_mustache[] = {
#embed "templates/field.mustache"
};
static const unsigned char filters_mustache[] = {
#embed "templates/filters.mustache"
};
static const unsigned char funnel_mustache[] = {
#embed "templates/funnel.mustache"
};
static const unsigned char icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char ledger_check_mustache[] = {
#embed "templates/ledger-check.mustache"
};
static const unsigned char ledger_mustache[] = {
#embed "templates/ledger.mustache"
};
static const unsigned char metric_mustache[] = {
#embed "templates/metric.mustache"
};
static const unsigned char metrics_mustache[] = {
#embed "templates/metrics.mustache"
};
static const unsigned char overview_mustache[] = {
#embed "templates/overview.mustache"
};
static const unsigned char page_js[] = {
#embed "assets/page.js"
};
static const unsigned char page_mustache[] = {
#embed "templates/page.mustache"
};
static const unsigned char problem_mustache[] = {
#embed "templates/problem.mustache"
};
static const unsigned char progress_mustache[] = {
#embed "templates/progress.mustache"
};
static const unsigned char same_mustache[] = {
#embed "templates/same.mustache"
};
static const unsigned char sign_in_mustache[] = {
#embed "templates/sign-in.mustache"
};
static const unsigned char steps_mustache[] = {
#embed "templates/steps.mustache"
};
static const unsigned char style_css[] = {
#embed "assets/style.css"
};
static const unsigned char time_mustache[] = {
#embed "templates/time.mustache"
};
static const unsigned char timeline_mustache[] = {
#embed "templates/timeline.mustache"
};
static const unsigned char unknown_mustache[] = {
#embed "templates/unknown.mustache"
};
static const unsigned char what_if_panel_mustache[] = {
#embed "templates/what-if-panel.mustache"
};
static const unsigned char what_if_mustache[] = {
#embed "templates/what-if.mustache"
};

static const struct daybook_file files[] = {
    {"action.mustache", action_mustache, sizeof action_mustache},
    {"behind.mustache", behind_mustache, sizeof behind_mustache},
    {"board.mustache", board_mustache, sizeof board_mustache},
    {"catalog-changes.mustache", catalog_changes_mustache, sizeof catalog_changes_mustache},
    {"catalog.mustache", catalog_mustache, sizeof catalog_mustache},
    {"changes.mustache", changes_mustache, sizeof changes_mustache},
    {"compare.mustache", compare_mustache, sizeof compare_mustache},
    {"customer.mustache", customer_mustache, sizeof customer_mustache},
    {"customers.mustache", customers_mustache, sizeof customers_mustache},
    {"event.mustache", event_mustache, sizeof event_mustache},
    {"events.mustache", events_mustache, sizeof events_mustache},
    {"experiment.mustache", experiment_mustache, sizeof experiment_mustache},
    {"explain.mustache", explain_mustache, sizeof explain_mustache},
    {"field.mustache", field_mustache, sizeof field_mustache},
    {"filters.mustache", filters_mustache, sizeof filters_mustache},
    {"funnel.mustache", funnel_mustache, sizeof funnel_mustache},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"ledger-check.mustache", ledger_check_mustache, sizeof ledger_check_mustache},
    {"ledger.mustache", ledger_mustache, sizeof ledger_mustache},
    {"metric.mustache", metric_mustache, sizeof metric_mustache},
    {"metrics.mustache", metrics_mustache, sizeof metrics_mustache},
    {"overview.mustache", overview_mustache, sizeof overview_mustache},
    {"page.js", page_js, sizeof page_js},
    {"page.mustache", page_mustache, sizeof page_mustache},
    {"problem.mustache", problem_mustache, sizeof problem_mustache},
    {"progress.mustache", progress_mustache, sizeof progress_mustache},
    {"same.mustache", same_mustache, sizeof same_mustache},
    {"sign-in.mustache", sign_in_mustache, sizeof sign_in_mustache},
    {"steps.mustache", steps_mustache, sizeof steps_mustache},
    {"style.css", style_css, sizeof style_css},
    {"time.mustache", time_mustache, sizeof time_mustache},
    {"timeline.mustache", timeline_mustache, sizeof timeline_mustache},
    {"unknown.mustache", unknown_mustache, sizeof unknown_mustache},
    {"what-if-panel.mustache", what_if_panel_mustache, sizeof what_if_panel_mustache},
    {"what-if.mustache", what_if_mustache, sizeof what_if_mustache},
};

const struct daybook_file *daybook_dashboard_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
