/** The limiters of a request's path, from the rows by which explain-429 knows them. */
import type { LayerRow, ReasonText } from '../../limiters/layer-row.ts'
import { LAYER_ROWS } from '../../limiters/layers.ts'
import type { Topic } from './topic.ts'

/** A topic for each limiter; its reasons are other words for it. */
export function layerTopics(): Topic[] {
  return LAYER_ROWS.map(layerTopic)
}

function layerTopic({ layer, reasons }: LayerRow): Topic {
  const entries = Object.entries(reasons)
  return {
    kind: 'layer',
    name: layer,
    aliases: entries.map(([reason]) => `${layer}/${reason}`),
    summary: sentence(entries[0]?.[1].says ?? layer).slice(0, -1),
    text: entries.map(([reason, text]) => `## ${reason}\n\n${reasonText(text)}`).join('\n\n'),
    commands: [...new Set(entries.flatMap(([, { command }]) => command ?? []))],
    see: [],
  }
}

function reasonText({ says, proves, doesNotProve, settledBy, advice }: ReasonText): string {
  const lines = [
    `${sentence(says)}`,
    `It is proved that ${proves}.`,
    ...(doesNotProve === undefined ? [] : [`It is not proved: ${doesNotProve}.`]),
    ...(settledBy === undefined ? [] : [`What would settle it: ${settledBy}.`]),
    `What to do: ${advice}.`,
  ]
  return lines.join('\n')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
