/**
 * A line that a container runtime has cut: it writes at most 16 KiB of one, and marks all parts but the last.
 * Source: containerd internal/cri/io/logger.go, cri-o conmon
 */

const PART = /^(\S+ (?:stdout|stderr) )([PF]) (.*)$/s
const MAX_CHARACTERS = 1 << 20
/** Parts that came before the first one worth reading; more make no record of any component. */
const MAX_BEFORE = 8

export class PartialLine {
  readonly line: number
  private readonly prefix: string
  private readonly stream: string
  private text: string

  private constructor(prefix: string, text: string, line: number) {
    this.line = line
    this.prefix = prefix
    this.stream = streamOf(prefix)
    this.text = text
  }

  /** Begins with a part that is not the last, and those in front of it; null where the line is no such part. */
  static start(text: string, line: number, before: () => Iterable<string>): PartialLine | null {
    const [, prefix, mark, content] = PART.exec(text) ?? []
    if (mark !== 'P' || prefix === undefined || content === undefined) return null
    const partial = new PartialLine(prefix, content, line)
    let count = 0
    for (const each of before()) {
      const [, otherPrefix = '', otherMark, otherContent = ''] = PART.exec(each) ?? []
      if (otherMark !== 'P' || streamOf(otherPrefix) !== partial.stream || ++count > MAX_BEFORE) break
      partial.text = otherContent + partial.text
    }
    return partial
  }

  /** The whole line once its last part has come; `more` before that, `other` for a line of the other stream. */
  add(text: string): { whole: string } | 'more' | 'other' {
    const [, prefix = '', mark, content = ''] = PART.exec(text) ?? []
    if (mark === undefined || streamOf(prefix) !== this.stream) return 'other'
    if (this.text.length < MAX_CHARACTERS) this.text += content
    return mark === 'P' ? 'more' : { whole: this.whole() }
  }

  /** What there is of it. */
  whole(): string {
    return `${this.prefix}F ${this.text}`
  }
}

function streamOf(prefix: string): string {
  return prefix.split(' ')[1] ?? ''
}
