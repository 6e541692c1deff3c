// Parts of the report page for single suites: scripts that report_page.cc puts into the template.
#pragma once

namespace tactus::cli {

/// special(run): tables and plots of the suites `peers` and `fclib`, out of the names of their rows, and which rows
/// they show.
extern const char* const kReportPlots;

}  // namespace tactus::cli
