import { type FieldPath, formatFieldPath } from '../../apf/problem.ts'
import { nearest } from '../../apf/suggest.ts'
import { quotedList } from '../clauses.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule, type FieldEdit } from '../rule.ts'

export default defineRule({
  id: 'APF115',
  name: 'unsupported-value',
  severity: 'error',
  summary: 'A word that is none of those its field knows, or none at all',
  documentation: {
    what:
      'A `kind` of a subject, a verb, a `type` of a distinguisher, a level or a limit response that the API does not ' +
      'have, or that is missing. Verbs are get, list, watch, create, update, patch, delete, deletecollection and proxy, ' +
      'or `*` alone; all words count letter by letter.',
    why: 'The server refuses the object.',
    fix: 'Write one of the words that the finding lists.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('verbs: [list]', 'verbs: [LIST]'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF115', hint),
})

function hint({ error: { detail, value, path, category } }: Refusal): Said {
  if (category === 'Required') return {}
  const supported = [...detail.matchAll(/"(\w+)"/g)].map(([, word = '']) => word)
  const wrong = wordsOf(value, path).filter(({ word }) => !supported.includes(word))
  const list = quotedList(wrong.map(({ word }) => word))
  return {
    message: `${formatFieldPath(path)}: ${list} ${wrong.length === 1 ? 'is' : 'are'} not supported`,
    note: `supported: ${supported.join(', ')}`,
    ...meantFor(wrong, supported),
  }
}

function wordsOf(value: Refusal['error']['value'], path: FieldPath): Word[] {
  if (typeof value === 'string') return [{ path, word: value }]
  if (typeof value !== 'object' || value === null) return []
  if ('goType' in value) return [{ path, word: Object.values(value.fields)[0] ?? '' }]
  return value.map((word, index) => ({ path: [...path, index], word }))
}

interface Word {
  path: FieldPath
  word: string
}

/** The words that are meant, in place where they differ by capitals only. */
function meantFor(words: readonly Word[], supported: readonly string[]): Said {
  const texts: string[] = []
  const edits: FieldEdit[] = []
  for (const { path, word } of words) {
    const meant = nearest(word, supported)
    if (meant === null) continue
    texts.push(`"${meant}"`)
    if (meant.toLowerCase() === word.toLowerCase()) edits.push({ path, set: meant })
  }
  if (texts.length === 0) return {}
  const text = `did you mean ${texts.join(', ')}?`
  return { fix: edits.length === words.length ? { text, edits } : { text } }
}
