/** Documents for programs: JSON and YAML. Whatever could steer a terminal is written as an escape of the format itself. */
import { codePointEscape, HOSTILE } from '../ui/escape.ts'

/** JSON, two spaces deep, with a line end. */
export function toJson(document: unknown): string {
  return `${spellHostile(JSON.stringify(document, null, 2))}\n`
}

/** JSON on one line, without its line end. */
export function toJsonText(value: unknown): string {
  return spellHostile(JSON.stringify(value))
}

/** One line of JSON with its line end. */
export function toJsonLine(value: unknown): string {
  return `${toJsonText(value)}\n`
}

/** YAML; its writer is loaded when it is asked for. */
export async function toYaml(document: unknown): Promise<string> {
  const { yamlText } = await import('./yaml.ts')
  return yamlText(document)
}

/** Hostile characters as `\\uXXXX`: right within the strings of JSON and double-quoted scalars of YAML. Line ends stay. */
export function spellHostile(text: string): string {
  return text.replace(HOSTILE_BUT_LINE_END, codePointEscape)
}

/** Line ends are layout here; within strings JSON and YAML have escaped them already. */
const HOSTILE_BUT_LINE_END = new RegExp(`(?!\\n)(?:${HOSTILE.source})`, 'gu')
