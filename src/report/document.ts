/** Documents for programs: JSON and YAML. Whatever could steer a terminal is written as an escape of the format itself. */
import { codePointEscape, HOSTILE } from '../ui/escape.ts'

/** JSON, two spaces deep, with a line end. */
export function toJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2).replace(FOREIGN_TO_JSON, codePointEscape)}\n`
}

/** One line of JSON with its line end. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

export async function toYaml(document: unknown): Promise<string> {
  const { Document, isScalar, Scalar, visit } = await import('yaml')
  const tree = new Document(JSON.parse(JSON.stringify(document)))
  visit(tree, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && node.value.search(HOSTILE) >= 0)
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  // Only double-quoted scalars can hold them now, and there this is their spelling.
  return tree.toString({ lineWidth: 0 }).replace(FOREIGN_TO_JSON, codePointEscape)
}

/** HOSTILE without the line ends of our own layout; within strings JSON and YAML have escaped those already. */
const FOREIGN_TO_JSON = new RegExp(`(?!\\n)(?:${HOSTILE.source})`, 'gu')
