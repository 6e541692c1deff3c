// The page that report_page.cc fills in.
#pragma once

namespace tactus::cli {

extern const char* const kReportTemplate;

}  // namespace tactus::cli
