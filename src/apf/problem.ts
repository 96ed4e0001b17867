/**
 * A problem of the given data, as a value. Bad data never throws: whoever meets it records a problem and goes on.
 *
 * `code` is stable and names the kind of problem; texts may change. `APF1xx` codes are those of `docs/rules/`.
 */
export interface Problem {
  code: string
  severity: Severity
  /** One line: what is wrong, in the words of the object. */
  message: string
  /** One line: what to do. Absent where nothing sensible can be said. */
  fix?: string
  at?: Place
  object?: { kind: string; name: string }
}

export type Severity = 'error' | 'warning' | 'info'

/** Where something stands. Lines and columns count from 1; `path` is a field path as in `spec.rules[0].subjects`. */
export interface Place {
  file?: string
  line?: number
  column?: number
  path?: string
}

export type FieldPath = readonly (string | number)[]

/** A field path in Kubernetes' own spelling: `spec.rules[0].resourceRules[1].verbs`. */
export function formatFieldPath(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/**
 * Where an object was read from. `locate` answers for any field path of that object (the empty path is the object itself):
 * the place of the field's value, or of the nearest enclosing field that exists; undefined where positions are unknown.
 */
export interface Origin {
  /** File name as given by the user, `<stdin>`, `defaults 1.37`, or the URL path of a live object. */
  file: string
  locate(path: FieldPath): { line: number; column: number } | undefined
  /** The object as it was written, before it was decoded; absent where nobody wrote it. */
  written?: unknown
  /** Where a field is written; undefined if it is not, and for text that is not YAML or JSON. */
  writtenAt?(path: FieldPath): WrittenField | undefined
}

/** Offsets in the text of a file behind its byte order mark, in UTF-16 units from 0, the end excluded. */
export interface TextRange {
  start: number
  end: number
}

/** One field in the text of a file. */
export interface WrittenField {
  /** Its key; null for an item of a list. */
  key: TextRange | null
  /** Without anchor and tag before it, and without the line break and the comment behind it; empty if nothing is written. */
  value: TextRange
  /** The characters of the value: `0500`, `"500"`. */
  text: string
  /** It was reached through an alias or a merge: the text may stand for other fields too. */
  shared?: true
}

/** The place of one field of an object, as far as its origin knows. */
export function placeOf(origin: Origin | null, path: FieldPath): Place {
  const place: Place = {}
  if (path.length > 0) place.path = formatFieldPath(path)
  if (origin === null) return place
  place.file = origin.file
  const position = origin.locate(path)
  if (position) {
    place.line = position.line
    place.column = position.column
  }
  return place
}
