// One dashboard, drawn from its JSON; when every panel has been drawn, the states are posted to /report.
import React, { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  FieldConfigOptionsRegistry, ThemeContext, applyFieldOverrides, createTheme, displayNameOverrideProcessor, identityOverrideProcessor,
  standardEditorsRegistry, standardFieldConfigEditorRegistry, thresholdsOverrideProcessor, unitOverrideProcessor, valueMappingsOverrideProcessor,
} from "@grafana/data";
import { GlobalStyles, PanelChrome } from "@grafana/ui";
import { Panel } from "./panels.jsx";
import { frames, merged, variables } from "./prometheus.js";

const theme = createTheme({ colors: { mode: "dark" } });
const ROW = 38;
const HEAD = 56;
const option = (id, process) => ({ id, path: id, name: id, process, override: () => null, editor: () => null, shouldApply: () => true, settings: {} });
const options = () => [
  ...["decimals", "min", "max", "color", "noValue", "links"].map((id) => option(id, identityOverrideProcessor)),
  option("thresholds", thresholdsOverrideProcessor), option("mappings", valueMappingsOverrideProcessor),
  option("unit", unitOverrideProcessor), option("displayName", displayNameOverrideProcessor),
];
standardFieldConfigEditorRegistry.setInit(options);
standardEditorsRegistry.setInit(() => []);
const states = {};
let wanted = 0;

function report(panel, state) {
  states[panel.id] = { title: panel.title, type: panel.type, ...state };
  if (Object.keys(states).length === wanted) {
    requestAnimationFrame(() => setTimeout(() => fetch("/report", { method: "POST", body: JSON.stringify(Object.values(states)) }), 300));
  }
}

async function asked(panel, values) {
  const found = await frames(panel, values);
  const data = panel.type === "table" ? [merged(panel, found)] : found;
  const filledIn = applyFieldOverrides({
    data, fieldConfig: { defaults: panel.fieldConfig.defaults, overrides: [] }, replaceVariables: (text) => text, theme, timeZone: "utc",
    fieldConfigRegistry: new FieldConfigOptionsRegistry(options),
  });
  return filledIn.map((frame, at) => ({ ...frame, name: data[at].name }));
}

class Boundary extends React.Component {
  state = {};
  static getDerivedStateFromError(error) { return { error }; }
  componentDidCatch(error) { report(this.props.panel, { error: String(error) }); }
  render() { return this.state.error ? String(this.state.error) : this.props.children; }
}

function Framed({ panel, values }) {
  const [state, set] = useState({});
  useEffect(() => { asked(panel, values).then((found) => set({ found })).catch((error) => set({ error: String(error) })); }, []);
  const empty = Boolean(state.found) && !state.found.some((frame) => frame.length);
  useEffect(() => {
    if (state.found || state.error) report(panel, { series: state.found?.length ?? 0, empty, error: state.error });
  }, [state]);
  const unit = (window.innerWidth - 16) / 24;
  const { x, y, w, h } = panel.gridPos;
  const draw = (width, height) =>
    empty ? <div style={{ padding: 8 }}>{panel.fieldConfig.defaults.noValue || "No data"}</div>
      : <Boundary panel={panel}><Panel panel={panel} frames={state.found} width={width} height={height} theme={theme} values={values} /></Boundary>;
  return (
    <div style={{ position: "absolute", left: x * unit + 8, top: y * ROW + HEAD }}>
      <PanelChrome title={panel.title} description={panel.description} width={w * unit - 8} height={h * ROW - 8} statusMessage={state.error}>
        {(width, height) => (state.found ? draw(width, height) : <div>{state.error || "…"}</div>)}
      </PanelChrome>
    </div>
  );
}

function Board({ board, values, shown }) {
  const box = { border: `1px solid ${theme.colors.border.medium}`, padding: "2px 8px", borderRadius: 3 };
  const page = { background: theme.colors.background.canvas, color: theme.colors.text.primary, fontFamily: theme.typography.fontFamily, minHeight: "100vh", fontSize: 14 };
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <div style={page}>
        <div style={{ padding: 12, display: "flex", gap: 10, alignItems: "baseline" }}>
          <b style={{ fontSize: 18 }}>{board.title}</b>
          {shown.map(([label, value]) => <span key={label} style={box}><span style={{ color: theme.colors.text.secondary }}>{label}</span> {value}</span>)}
        </div>
        {board.panels.map((panel) => panel.type === "row"
          ? <div key={panel.title} style={{ position: "absolute", left: 12, top: panel.gridPos.y * ROW + HEAD + 8, fontWeight: 600 }}>{panel.title}</div>
          : <Framed key={panel.id} panel={panel} values={values} />)}
      </div>
    </ThemeContext.Provider>
  );
}

async function start() {
  const board = await (await fetch(new URLSearchParams(location.search).get("dashboard"))).json();
  board.panels.forEach((panel, at) => (panel.id = at));
  wanted = board.panels.filter((panel) => panel.type !== "row").length;
  const known = await variables(board);
  createRoot(document.getElementById("root")).render(<Board board={board} {...known} />);
}

const failed = (error) => fetch("/report", { method: "POST", body: JSON.stringify([{ title: "the page", error: String(error?.stack || error) }]) });
window.onerror = (message, source, line, column, error) => { failed(error || message); };
start().catch(failed);
