import { Document, isMap, isScalar, Scalar, visit } from 'yaml'
import { HOSTILE } from '../ui/escape.ts'
import { spellHostile } from './document.ts'

/** A document of plain values as YAML, without aliases. */
export function yamlText(document: unknown): string {
  return textOf(new Document(document, { aliasDuplicateObjects: false }))
}

/** The same with a comment above each of these fields; paths that lead nowhere are left out. */
export function commentedYaml(
  document: unknown,
  comments: readonly (readonly [path: readonly (string | number)[], comment: string])[],
): string {
  const tree = new Document(document, { aliasDuplicateObjects: false })
  for (const [path, comment] of comments) {
    const parent = tree.getIn(path.slice(0, -1), true)
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined
    if (pair && isScalar(pair.key)) pair.key.commentBefore = ` ${comment}`
  }
  return textOf(tree)
}

function textOf(tree: Document): string {
  visit(tree, {
    Scalar(_key, node) {
      // In double quotes a hostile character has a spelling.
      if (typeof node.value === 'string' && node.value.search(HOSTILE) >= 0) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return spellHostile(tree.toString({ lineWidth: 0 }))
}
