/** What `explain` has a text for. */

export interface Topic {
  kind: 'rule' | 'field' | 'concept' | 'layer' | 'setting'
  /** As it is asked for: `APF201`, `FlowSchema.spec.matchingPrecedence`, `seat`, `max-inflight`. */
  name: string
  /** Other words for it. */
  aliases: readonly string[]
  /** One line for the list. */
  summary: string
  /** Markdown: paragraphs, headings of the second level, examples between fences. */
  text: string
  /** Command lines of ours that show it, behind `kubectl apf`. */
  commands: readonly string[]
  /** Names of topics near it. */
  see: readonly string[]
}

/** Paragraphs on one line each, whatever lines they are written in here. */
export function unbroken(text: string): string {
  return text.replace(/(?<!\n)\n(?!\n)/g, ' ')
}
