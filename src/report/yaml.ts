import { Document, Scalar, visit } from 'yaml'
import { HOSTILE } from '../ui/escape.ts'
import { spellHostile } from './document.ts'

/** A document of plain values as YAML, without aliases. */
export function yamlText(document: unknown): string {
  const tree = new Document(document, { aliasDuplicateObjects: false })
  visit(tree, {
    Scalar(_key, node) {
      // In double quotes a hostile character has a spelling.
      if (typeof node.value === 'string' && node.value.search(HOSTILE) >= 0) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return spellHostile(tree.toString({ lineWidth: 0 }))
}
