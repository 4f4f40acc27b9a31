// Panels by Grafana's own components; heat maps and state bands, which @grafana/ui does not contain, by simple cells.
import React, { useMemo } from "react";
import { fieldColorModeRegistry, getFieldDisplayValues, getValueFormat } from "@grafana/data";
import { BarGauge, BigValue, BigValueColorMode, BigValueGraphMode, Table, UPlotChart, UPlotConfigBuilder, VizLegend, VizRepeater } from "@grafana/ui";
import { AxisPlacement, BarGaugeDisplayMode, GraphDrawStyle, LegendDisplayMode, VizOrientation } from "@grafana/schema";
import { RANGE } from "./prometheus.js";

const COLOURS = ["green", "yellow", "blue", "orange", "red", "purple", "super-light-blue", "dark-green", "light-red", "semi-dark-yellow"];
const matches = (override, name) =>
  override.matcher.id === "byName" ? override.matcher.options === name : new RegExp(override.matcher.options.slice(1, -1)).test(name);

function styleOf(panel, name) {
  const style = {};
  for (const override of panel.fieldConfig.overrides || []) {
    if (matches(override, name)) override.properties.forEach((one) => (style[one.id.replace("custom.", "")] = one.value));
  }
  return style;
}

function Lines({ panel, frames, width, height, theme }) {
  const plot = useMemo(() => {
    const defaults = panel.fieldConfig.defaults;
    const times = [...new Set(frames.flatMap((frame) => frame.fields[0].values))].sort((a, b) => a - b);
    const at = new Map(times.map((time, index) => [time, index]));
    const builder = new UPlotConfigBuilder("utc");
    builder.addScale({ scaleKey: "x", isTime: true, orientation: 0, direction: 1, range: () => RANGE.map((second) => second * 1000) });
    builder.addAxis({ scaleKey: "x", isTime: true, placement: AxisPlacement.Bottom, timeZone: "utc", theme });
    const soft = defaults.custom || {};
    builder.addScale({ scaleKey: "y", orientation: 1, direction: 1, min: defaults.min, max: defaults.max, softMin: soft.axisSoftMin, softMax: soft.axisSoftMax });
    const format = getValueFormat(defaults.unit || "short");
    const text = (value) => { const shown = format(value, soft.axisSoftMax === 1 ? 1 : undefined); return (shown.prefix || "") + shown.text + (shown.suffix || ""); };
    builder.addAxis({ scaleKey: "y", placement: AxisPlacement.Left, theme, formatValue: text });
    const columns = [times];
    const items = [];
    const names = frames.map((frame) => frame.name);
    frames.forEach((frame, index) => {
      const style = styleOf(panel, frame.name);
      const kin = frames.findIndex((other) => other.name === frame.name.replace(/^(upper|lower|usual) (@\d+).*/, "$2").replace(/^(upper|lower) /, ""));
      const colour = theme.visualization.getColorByName(COLOURS[(kin < 0 ? index : kin) % COLOURS.length]);
      const column = new Array(times.length).fill(null);
      frame.fields[0].values.forEach((time, point) => (column[at.get(time)] = frame.fields[1].values[point]));
      columns.push(column);
      builder.addSeries({
        scaleKey: "y", theme, lineColor: colour, lineWidth: style.lineWidth ?? 2, lineStyle: style.lineStyle, show: true, pxAlign: true,
        drawStyle: GraphDrawStyle.Line, colorMode: fieldColorModeRegistry.get("palette-classic"), showPoints: "never",
        dataFrameFieldIndex: { fieldIndex: 1, frameIndex: index },
      });
      if (style.fillBelowTo && names.includes(style.fillBelowTo)) {
        builder.addBand({ series: [index + 1, names.indexOf(style.fillBelowTo) + 1], fill: `${colour}33` });
      }
      if (!style.hideFrom?.legend) items.push({ label: frame.name || "all", color: colour, yAxis: 1 });
    });
    return { builder, columns, items };
  }, [frames, width]);
  return (
    <div>
      <UPlotChart config={plot.builder} data={plot.columns} width={width} height={height - 46} />
      <div style={{ height: 44, overflow: "hidden" }}>
        <VizLegend placement="bottom" items={plot.items} displayMode={LegendDisplayMode.List} />
      </div>
    </div>
  );
}

function Cells({ frames, width, height, theme, colour, label }) {
  const rows = Math.max(1, frames.length);
  const left = 110;
  const [from, to] = RANGE.map((second) => second * 1000);
  return (
    <svg width={width} height={height}>
      {frames.map((frame, row) => {
        const times = frame.fields[0].values;
        const tall = (height - 18) / rows;
        return times.map((time, at) => {
          const x = left + ((width - left) * (time - from)) / (to - from);
          const wide = ((width - left) * ((times[1] ?? time + 4000) - times[0])) / (to - from) + 0.6;
          return <rect key={`${row}-${at}`} x={x} y={row * tall + 1} width={wide} height={tall - 2} fill={colour(frame.fields[1].values[at])} />;
        });
      })}
      {frames.map((frame, row) => (
        <text key={row} x={4} y={((row + 0.5) * (height - 18)) / rows + 4} fill={theme.colors.text.primary} fontSize={12}>{label(frame)}</text>
      ))}
      {[0, 0.5, 1].map((share) => (
        <text key={share} x={left + (width - left - 46) * share} y={height - 4} fill={theme.colors.text.secondary} fontSize={11}>
          {new Date(from + (to - from) * share).toISOString().slice(11, 19)}
        </text>
      ))}
    </svg>
  );
}

function differences(frames) {
  const sorted = [...frames].sort((a, b) => Number(a.name.replace("+Inf", "Infinity")) - Number(b.name.replace("+Inf", "Infinity")));
  return sorted
    .map((frame, index) => {
      const below = sorted[index - 1]?.fields[1].values;
      const values = frame.fields[1].values.map((value, at) => Math.max(0, value - (below?.[at] ?? 0)));
      return { ...frame, fields: [frame.fields[0], { ...frame.fields[1], values }] };
    })
    .reverse();
}

function HeatMap(props) {
  const frames = differences(props.frames);
  const most = Math.max(1e-9, ...frames.flatMap((frame) => frame.fields[1].values));
  return <Cells {...props} frames={frames} label={(frame) => frame.name} colour={(value) => `rgba(255, 152, 48, ${(value / most).toFixed(3)})`} />;
}

function States(props) {
  const options = props.panel.fieldConfig.defaults.mappings[0].options;
  const colour = (value) => props.theme.visualization.getColorByName(options[String(value)]?.color || "gray");
  return <Cells {...props} colour={colour} label={(frame) => frame.name || "all together"} />;
}

export function Panel(props) {
  const { panel, frames, width, height, theme, values } = props;
  if (panel.type === "timeseries") return <Lines {...props} />;
  if (panel.type === "heatmap") return <HeatMap {...props} />;
  if (panel.type === "state-timeline") return <States {...props} />;
  if (panel.type === "table") return <Table data={frames[0]} width={width} height={height} />;
  const shown = getFieldDisplayValues({
    fieldConfig: panel.fieldConfig, reduceOptions: panel.options.reduceOptions, replaceVariables: (text) => text, theme, data: frames,
    sparkline: panel.type === "stat", timeZone: "utc",
  });
  const drawn = {
    stat: ({ value, width: w, height: h }) => (
      <BigValue value={value.display} sparkline={value.sparkline} colorMode={BigValueColorMode.Value} graphMode={BigValueGraphMode.Area} theme={theme} width={w} height={h} />
    ),
    bargauge: ({ value, width: w, height: h }) => (
      <BarGauge value={value.display} field={value.field} displayMode={BarGaugeDisplayMode.Basic} orientation={VizOrientation.Horizontal} theme={theme} width={w} height={h} />
    ),
  }[panel.type];
  if (!drawn) throw new Error(`no drawing for panels of type ${panel.type}`);
  const orientation = panel.type === "stat" ? VizOrientation.Auto : VizOrientation.Horizontal;
  return <VizRepeater width={width} height={height} getValues={() => shown} orientation={orientation} itemSpacing={8} renderValue={drawn} source={frames} renderCounter={0} />;
}
