/** Whatever a document looks like: an edit changes what it says, nothing else, or nothing at all. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Document, isCollection, visit } from 'yaml'
import type { ApfObject } from '../../src/apf/objects.ts'
import type { FieldPath } from '../../src/apf/problem.ts'
import { applyEdits, compatibleEdits, editsOf } from '../../src/lint/edits.ts'
import type { LintFinding } from '../../src/lint/engine.ts'
import type { FieldEdit, Rule } from '../../src/lint/rule.ts'
import { readDocuments } from '../../src/sources/documents.ts'
import { sourceText } from '../../src/sources/source-text.ts'

type Data = string | number | boolean | Data[] | { [key: string]: Data }

const scalar = fc.oneof(
  fc.constantFrom('a', 'on', '*', 'it is', "it's", 'x: y', '0500', '', '# no'),
  fc.integer({ min: 0, max: 99 }),
  fc.boolean(),
)
const tree = fc.letrec<{ node: Data; map: Data; list: Data }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', maxDepth: 4 }, scalar, tie('map'), tie('list')),
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), tie('node'), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  }),
  list: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
}))

/** The same data as JSON, or as YAML with some of its collections between brackets, a comment here and there. */
function written(data: Data, layout: number[]): string {
  const [style = 0, ...choices] = layout
  if (style % 4 === 0) return `${JSON.stringify(data, null, style % 8 === 0 ? 2 : undefined)}\n`
  const document = new Document(data, { aliasDuplicateObjects: false })
  let at = 0
  const choose = (one: number) => (choices[at++ % Math.max(1, choices.length)] ?? 0) % one === 0
  visit(document, {
    Node(key, node) {
      if (isCollection(node) && key !== null) node.flow = choose(3)
      else if (!isCollection(node) && choose(4)) node.comment = ' note'
    },
  })
  const text = document.toString({ lineWidth: 0, indentSeq: style % 3 !== 0 })
  return style % 5 === 0 ? text.replaceAll('\n', '\r\n') : text
}

const pathsOf = (data: Data): FieldPath[] =>
  typeof data !== 'object'
    ? []
    : Object.entries(data).flatMap(([key, value]) => {
        const step = Array.isArray(data) ? Number(key) : key
        return [[step], ...pathsOf(value).map((rest) => [step, ...rest])]
      })

/** The data after an edit, made on a copy. */
function changed(data: Data, edit: FieldEdit): unknown {
  const copy = structuredClone(data)
  const parent = edit.path.slice(0, -1).reduce<unknown>((value, step) => Reflect.get(Object(value), step), copy)
  const last = edit.path[edit.path.length - 1] ?? ''
  if ('set' in edit) Reflect.set(Object(parent), last, edit.set)
  else if ('rename' in edit) {
    Reflect.set(Object(parent), edit.rename, Reflect.get(Object(parent), last))
    Reflect.deleteProperty(Object(parent), last)
  } else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else Reflect.deleteProperty(Object(parent), last)
  return copy
}

async function edited(text: string, edit: FieldEdit): Promise<string> {
  const source = sourceText('f.yaml', text)
  const { documents } = await readDocuments(source)
  const [document] = documents
  if (document === undefined) throw new Error(`not read: ${text}`)
  const origin = {
    file: 'f.yaml',
    locate: (path: FieldPath) => document.locate(path),
    written: document.value,
    writtenAt: (path: FieldPath) => document.writtenAt(path),
  }
  // Edits look at nothing else of an object.
  const object = { origin } as ApfObject
  const finding = { rule: {} as Rule, object, fix: { text: '', edits: [edit] } } as unknown as LintFinding
  const { edits } = compatibleEdits([editsOf(finding, new Map([['f.yaml', source]]))])
  return applyEdits(text, edits.get('f.yaml') ?? [])
}

const read = async (text: string) => (await readDocuments(sourceText('f.yaml', text))).documents[0]?.value

const SEED = 20261130

describe('an edit', () => {
  const kinds = fc.constantFrom('set', 'add', 'remove', 'rename')
  it('changes what it says and nothing else', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(
        tree.map,
        fc.array(fc.nat(), { minLength: 2, maxLength: 8 }),
        kinds,
        fc.nat(),
        tree.node,
        async (data, layout, kind, pick, value) => {
          const text = written(data, layout)
          const paths = pathsOf(data)
          const path = paths[pick % paths.length] ?? []
          const edit = editOf(kind, data, path, value)
          if (edit === null) return
          const after = await edited(text, edit)
          if (after === text) return
          made++
          expect(await read(after), text).toEqual(changed((await read(text)) as Data, edit))
        },
      ),
      { seed: SEED, numRuns: 2000 },
    )
    expect(made).toBeGreaterThan(1000)
  }, 120_000)
})

function editOf(kind: string, data: Data, path: FieldPath, value: Data): FieldEdit | null {
  const last = path[path.length - 1]
  if (kind === 'remove') return { path, remove: true }
  if (kind === 'rename') return typeof last === 'string' ? { path, rename: 'renamed' } : null
  if (kind === 'set') return { path, set: value }
  const target = path.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), data)
  if (typeof target !== 'object') return null
  return { path: [...path, Array.isArray(target) ? target.length : 'added'], set: value }
}
