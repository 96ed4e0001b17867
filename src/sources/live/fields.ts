/**
 * Typed reading of decoded YAML as Go's JSON decoder does it: absent and null are empty, unknown fields are ignored, and a
 * value of another type is a fault that names the field, never its content: kubeconfigs hold secrets.
 */

export interface Fields {
  string(name: string): string
  boolean(name: string): boolean
  strings(name: string): string[]
  /** Lists of strings by key. */
  stringLists(name: string): Record<string, string[]>
  /** A mapping; null where it is absent. */
  object(name: string): Fields | null
  /** The mappings of a list. */
  objects(name: string): Fields[]
  raw(name: string): unknown
}

/**
 * @param value  decoded YAML or JSON
 * @param path  of the value, for faults; '' at the top
 * @param faults  takes one sentence for every value of a wrong type
 */
export function fieldsOf(value: unknown, path: string, faults: string[]): Fields {
  const source = isMapping(value) ? value : {}
  if (value !== undefined && value !== null && !isMapping(value)) faults.push(`${path || 'it'} is not a mapping`)

  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
  const list = (name: string): unknown[] => {
    const content = source[name] ?? []
    if (Array.isArray(content)) return content
    faults.push(`${pathOf(name)} is not a list`)
    return []
  }
  const stringsIn = (content: readonly unknown[], at: string): string[] =>
    content.map((item) => {
      if (typeof item === 'string') return item
      faults.push(`${at} holds something that is not a string`)
      return ''
    })

  return {
    string(name) {
      const content = source[name] ?? ''
      if (typeof content === 'string') return content
      faults.push(`${pathOf(name)} is not a string`)
      return ''
    },
    boolean(name) {
      const content = source[name] ?? false
      if (typeof content === 'boolean') return content
      // YAML 1.1 has more words for truth, and kubectl reads them.
      if (typeof content === 'string' && /^(?:y|yes|on|n|no|off)$/i.test(content))
        return /^(?:y|yes|on)$/i.test(content)
      faults.push(`${pathOf(name)} is neither true nor false`)
      return false
    },
    strings: (name) => stringsIn(list(name), pathOf(name)),
    stringLists(name) {
      const content = source[name]
      if (content === undefined || content === null) return {}
      if (!isMapping(content)) {
        faults.push(`${pathOf(name)} is not a mapping`)
        return {}
      }
      const lists = fieldsOf(content, pathOf(name), faults)
      return Object.fromEntries(Object.keys(content).map((key) => [key, lists.strings(key)]))
    },
    object(name) {
      const content = source[name]
      return content === undefined || content === null ? null : fieldsOf(content, pathOf(name), faults)
    },
    objects: (name) => list(name).map((item, index) => fieldsOf(item, `${pathOf(name)}[${index}]`, faults)),
    raw: (name) => source[name],
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
