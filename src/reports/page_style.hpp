// The style sheet that all pages share. Nothing is expressed by colour alone: bands have labels, marks have shapes.
#pragma once

namespace petrel::reports {

inline constexpr auto kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #ffffff; --ink: #17202b; --soft: #5b6775; --line: #dde2e8; --head: #eef1f5;
  --signal: #7b8fa6; --watching: #dfeee6; --watching-ink: #2f6b4c; --hot: #c2341d; --hot-fill: #f7c8bb; --hot-ink: #7e1f0e;
  --warn-fill: #fbe3ac; --warn-ink: #735103; --latch-fill: #dccdf3; --latch-ink: #4d2a8a; --good: #1d7a4b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10151b; --card: #182029; --ink: #e4eaf0; --soft: #93a1b0; --line: #2b3641; --head: #1f2933;
    --signal: #8aa2bd; --watching: #1d3329; --watching-ink: #8fceab; --hot: #ff7a5f; --hot-fill: #5b231a; --hot-ink: #ffc4b6;
    --warn-fill: #4d3c10; --warn-ink: #f4d581; --latch-fill: #3a2b59; --latch-ink: #d5c2fb; --good: #5fd39a;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 32px 24px 64px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -.01em; }
h2 { font-size: 18px; margin: 36px 0 12px; }
h3 { font-size: 16px; margin: 0; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 3px; }
.lead { color: var(--soft); margin: 0 0 24px; }
h2 + .lead { margin: -8px 0 12px; font-size: 13px; }
.verdict { font-size: 17px; margin: 0 0 20px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 0 0 16px; }
.scroll { overflow-x: auto; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 10px; text-align: left; white-space: nowrap; }
th { font-weight: 600; font-size: 13px; color: var(--soft); background: var(--head); }
thead tr + tr th { border-top: 1px solid var(--line); }
tbody tr { border-top: 1px solid var(--line); }
th.group, .first { border-left: 1px solid var(--line); }
th.group { color: var(--ink); }
.card td.number, .card th.number { text-align: right; }
.none { color: var(--soft); }
.storms { color: var(--hot); font-weight: 600; }
.title { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: baseline; margin-bottom: 12px; }
.badge { font-size: 13px; color: var(--soft); }
.plot { overflow-x: auto; padding-bottom: 2px; }
.timeline { display: block; width: 100%; min-width: 640px; height: auto; overflow: visible; }
.timeline text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
.timeline .label { font-weight: 600; }
.timeline .number { font-weight: 700; fill: var(--ink); paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.timeline .grid { stroke: var(--line); stroke-width: 1; }
.timeline .base { stroke: var(--signal); stroke-width: 1; }
.timeline .signal { fill: var(--signal); fill-opacity: .55; }
.timeline .lane { fill: var(--head); }
.band rect { fill: var(--watching); } .band .word { fill: var(--watching-ink); }
.band.mitigated rect, .band.mitigating rect { fill: var(--hot-fill); }
.band.mitigated .word, .band.mitigating .word { fill: var(--hot-ink); font-weight: 600; }
.band.alerted rect, .band.probing rect, .band.restoring rect { fill: var(--warn-fill); }
.band.alerted .word, .band.probing .word, .band.restoring .word { fill: var(--warn-ink); font-weight: 600; }
.band.latched rect { fill: var(--latch-fill); } .band.latched .word { fill: var(--latch-ink); font-weight: 600; }
.mark line { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 2 2; }
.mark polygon { fill: var(--warn-ink); stroke: var(--card); stroke-width: 1; }
.mark.begins polygon { fill: var(--hot); } .mark.ends polygon { fill: var(--good); }
.events { margin: 14px 0 0; }
.events h4 { margin: 10px 0 4px; font-size: 13px; color: var(--soft); font-weight: 600; }
details { border-top: 1px solid var(--line); padding: 6px 0; }
summary { cursor: pointer; }
summary code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; }
summary .begins { color: var(--hot); font-weight: 600; } summary .ends { color: var(--good); font-weight: 600; }
summary .why { color: var(--soft); }
details ul { margin: 6px 0 4px; padding-left: 26px; font-size: 13px; color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; color: var(--soft); font-size: 13px; margin: 0 0 14px; }
.swatch { display: inline-block; width: 22px; height: 11px; border-radius: 2px; margin-right: 6px; }
.swatch.watching { background: var(--watching); } .swatch.mitigated { background: var(--hot-fill); }
.swatch.alerted { background: var(--warn-fill); } .swatch.latched { background: var(--latch-fill); }
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #333; }
  body { max-width: none; padding: 0; font-size: 12px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .card { break-inside: avoid; }
}
)css";

}  // namespace petrel::reports
