// A dashboard's queries, asked of a live Prometheus, as Grafana's data frames.
import { FieldType } from "@grafana/data";

const parameters = new URLSearchParams(location.search);
const SECONDS = Number(parameters.get("seconds"));
const END = Number(parameters.get("end"));
export const RANGE = [END - SECONDS, END];

async function api(path, query) {
  const answer = await fetch(`${parameters.get("prometheus")}/api/v1/${path}?${new URLSearchParams(query)}`);
  const body = await answer.json();
  if (body.status !== "success") throw new Error(body.error);
  return body.data;
}

export const filled = (text, values) =>
  text.replace(/\$\{(\w+)(?::\w+)?\}|\$(\w+)/g, (whole, a, b) => values[a || b] ?? whole);

export async function variables(board) {
  const values = {};
  const shown = [];
  for (const variable of board.templating.list) {
    const label = variable.label;
    if (variable.type === "datasource") shown.push([label, "Prometheus"]);
    if (variable.type !== "query") continue;
    const [, series, name] = /^label_values\((.*), (\w+)\)$/.exec(filled(variable.query.query, values));
    const found = (await api(`label/${name}/values`, { "match[]": series, start: RANGE[0], end: RANGE[1] })).sort();
    const wanted = parameters.get(`var-${variable.name}`) || variable.current?.value;
    if (variable.includeAll) {
      values[variable.name] = wanted === "$__all" || !wanted ? variable.allValue : wanted;
      shown.push([label, values[variable.name] === variable.allValue ? `All (${found.length})` : wanted]);
    } else {
      values[variable.name] = found.includes(wanted) ? wanted : (found[0] ?? "");
      shown.push([label, values[variable.name]]);
    }
  }
  return { values, shown };
}

function legend(format, labels) {
  if (format && format !== "__auto") return format.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, name) => labels[name] ?? "").trim();
  const pairs = Object.entries(labels).filter(([name]) => name !== "__name__");
  return pairs.map(([name, value]) => `${name}="${value}"`).join(", ") || labels.__name__ || "value";
}

function series(target, labels, points) {
  const name = legend(target.legendFormat, labels);
  const value = { name: "Value", type: FieldType.number, config: { displayNameFromDS: name }, labels };
  return {
    refId: target.refId,
    name,
    length: points.length,
    fields: [
      { name: "Time", type: FieldType.time, config: {}, values: points.map((point) => point[0] * 1000) },
      { ...value, values: points.map((point) => Number(point[1])) },
    ],
  };
}

export async function frames(panel, values) {
  const step = Math.max(2, Math.ceil(SECONDS / (panel.gridPos.w * 30)));
  const all = { ...values, __rate_interval: `${Math.max(4 * step, 10)}s`, __interval: `${step}s`, __range: `${SECONDS}s` };
  const found = [];
  for (const target of panel.targets) {
    const query = filled(target.expr, all);
    if (target.instant) {
      const data = await api("query", { query, time: RANGE[1] });
      found.push(...data.result.map((one) => series(target, one.metric, [one.value])));
    } else {
      const data = await api("query_range", { query, start: RANGE[0], end: RANGE[1], step });
      found.push(...data.result.map((one) => series(target, one.metric, one.values)));
    }
  }
  return found;
}

// What the transformations "merge" and "organize" make of instant queries: a row for each set of labels.
export function merged(panel, found) {
  const organize = panel.transformations.find((one) => one.id === "organize").options;
  const rows = new Map();
  for (const frame of found) {
    const labels = frame.fields[1].labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    if (!rows.has(key)) rows.set(key, { ...labels });
    rows.get(key)[organize.renameByName[`Value #${frame.refId}`]] = frame.fields[1].values[0];
  }
  const names = [...new Set([...rows.values()].flatMap((row) => Object.keys(row)))];
  const order = new Map(Object.values(organize.renameByName).map((name, at) => [name, at + 100]));
  names.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const sorted = [...rows.values()].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return {
    length: sorted.length,
    fields: names.map((name) => ({
      name,
      type: order.has(name) ? FieldType.number : FieldType.string,
      config: {},
      values: sorted.map((row) => row[name] ?? (order.has(name) ? undefined : "")),
    })),
  };
}
