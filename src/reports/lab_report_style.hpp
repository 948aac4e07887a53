// The styles of the lab's report, in addition to the style that all pages share.
#pragma once

namespace petrel::reports {

inline constexpr auto kLabReportStyle = R"css(
.state { display: inline-block; padding: 3px 12px; border-radius: 999px; font-weight: 600; font-size: 14px; }
.state.good { background: var(--watching); color: var(--watching-ink); }
.state.bad { background: var(--hot-fill); color: var(--hot-ink); }
.state.open { background: var(--head); color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 20px 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 22px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
.story { list-style: none; margin: 0; padding: 0; }
.story li { display: grid; grid-template-columns: 92px 1fr; gap: 14px; padding: 7px 0; border-top: 1px solid var(--line); }
.story li:first-child { border-top: 0; }
.story time { color: var(--soft); text-align: right; font-variant-numeric: tabular-nums; }
.setup { margin: 0; display: grid; grid-template-columns: 92px 1fr; gap: 6px 14px; }
.setup dt { color: var(--soft); text-align: right; } .setup dd { margin: 0; }
.glossary dt { font-weight: 600; margin-top: 8px; } .glossary dd { margin: 0; color: var(--soft); }
.glossary, .more { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 18px; margin: 0 0 16px; }
.more { padding-bottom: 10px; } .more > summary, .glossary > summary { font-weight: 600; }
.more .card { margin-top: 12px; }
td.words { white-space: normal; min-width: 220px; overflow-wrap: anywhere; }
.met { color: var(--good); font-weight: 600; } .failed { color: var(--hot); font-weight: 600; }
.bar { display: inline-block; height: 10px; border-radius: 2px; background: var(--hot); min-width: 2px; }
.timeline .paused { fill: var(--hot); fill-opacity: .75; }
.timeline .held { fill: var(--hot); fill-opacity: .28; }
.timeline .waiting { fill: none; stroke: var(--signal); stroke-width: 1.6; }
.timeline .delivered { fill: var(--good); fill-opacity: .45; }
.timeline .sent { fill: none; stroke: var(--ink); stroke-width: 1; stroke-opacity: .75; }
.timeline .row { font-size: 11px; fill: var(--ink); }
.timeline .dot { fill: var(--hot); fill-opacity: .6; }
.heat { fill: var(--hot); }
.h1 { fill-opacity: .15; } .h2 { fill-opacity: .27; } .h3 { fill-opacity: .39; } .h4 { fill-opacity: .51; }
.h5 { fill-opacity: .63; } .h6 { fill-opacity: .75; } .h7 { fill-opacity: .87; } .h8 { fill-opacity: 1; }
.fault line { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1 3; }
.swatch.held { background: var(--hot); opacity: .3; } .swatch.paused { background: var(--hot); } .swatch.delivered { background: var(--good); opacity: .6; }
.swatch.line { height: 0; border-top: 1px solid var(--ink); vertical-align: middle; border-radius: 0; }
.swatch.waiting { height: 0; border-top: 2px solid var(--signal); vertical-align: middle; border-radius: 0; }
.swatch.fault { width: 0; height: 13px; border-left: 2px dotted var(--ink); vertical-align: middle; border-radius: 0; }
.scale { display: inline-flex; margin-right: 6px; vertical-align: middle; }
.scale i { width: 14px; height: 11px; background: var(--hot); }
.scale .h1 { opacity: .15; } .scale .h3 { opacity: .39; } .scale .h5 { opacity: .63; } .scale .h7 { opacity: .87; }
pre { margin: 0; padding: 12px 16px; background: var(--head); border-radius: 8px; overflow-x: auto;
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 640px) { .story li, .setup { grid-template-columns: 1fr; gap: 2px; } .story time, .setup dt { text-align: left; } }
)css";

}  // namespace petrel::reports
