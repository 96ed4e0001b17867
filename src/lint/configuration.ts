/** .kubectl-apf.yaml, as configuration-schema.ts describes it. */
import { isSubjectForm } from '../analysis/allowed-subjects.ts'
import type { FieldPath, Problem, Severity } from '../apf/problem.ts'
import { formatFieldPath } from '../apf/problem.ts'
import { nearest } from '../apf/suggest.ts'
import { minorText, resolveVersion } from '../apf/versions.ts'
import { FAIL_ON, RULE_SETTINGS } from './configuration-schema.ts'
import type { LintOptions, RuleId } from './rule.ts'
import { unknownRule } from './suppression.ts'

export interface LintConfiguration {
  /** Minors, such as `1.34`; empty: not said. */
  targets: string[]
  failOn: (typeof FAIL_ON)[number] | null
  severities: Map<RuleId, Severity | 'off'>
  options: Partial<Pick<LintOptions, 'allowedExempt' | 'guaranteedLevels'>>
  serverSeats: number | null
}

/** What holds where there is no file. */
export function emptyConfiguration(): LintConfiguration {
  return { targets: [], failOn: null, severities: new Map(), options: {}, serverSeats: null }
}

/** A file that was parsed and says where its fields stand. */
export interface ConfigurationSource {
  file: string
  /** The plain data, null for an empty file. */
  value: unknown
  locate(path: FieldPath): { line: number; column: number }
  duplicateKeys: readonly { path: FieldPath; at: { line: number; column: number }; first: { line: number } }[]
}

/** Reads a configuration; of what is wrong with it each thing is a problem with its place. */
export function readConfiguration(
  source: ConfigurationSource,
  known: readonly RuleId[],
): { configuration: LintConfiguration; problems: Problem[] } {
  const reader = new ConfigurationReader(source, known)
  reader.read(source.value)
  reader.readDuplicates()
  return reader
}

const KEYS = ['targets', 'failOn', 'rules', 'options'] as const
const OPTION_KEYS = ['allowedExempt', 'guaranteedLevels', 'serverSeats'] as const

class ConfigurationReader {
  readonly configuration = emptyConfiguration()
  readonly problems: Problem[] = []
  readonly #source: ConfigurationSource
  readonly #known: readonly RuleId[]

  constructor(source: ConfigurationSource, known: readonly RuleId[]) {
    this.#source = source
    this.#known = known
  }

  read(value: unknown): void {
    for (const [key, part] of this.#members(value, [])) {
      const path = [key]
      if (key === 'targets') this.#readTargets(part, path)
      else if (key === 'failOn') this.configuration.failOn = this.#oneOf(part, FAIL_ON, path)
      else if (key === 'rules') this.#readRules(part, path)
      else if (key === 'options') this.#readOptions(part, path)
      else this.#unknownKey(key, KEYS, path)
    }
  }

  readDuplicates(): void {
    const { file, duplicateKeys } = this.#source
    for (const { path, at, first } of duplicateKeys) {
      const message = `${formatFieldPath(path)} is there twice, first on line ${first.line}`
      const fix = 'remove one of them'
      this.problems.push({
        code: 'configuration',
        severity: 'error',
        message,
        fix,
        at: { file, ...at, path: formatFieldPath(path) },
      })
    }
  }

  #readTargets(value: unknown, path: FieldPath): void {
    for (const [item, at] of this.#items(value, path)) {
      // Unquoted, 1.30 is the number 1.3, and 1.20 is 1.2: no other minors are meant by them.
      const text = typeof item === 'number' ? item.toFixed(2) : String(item)
      const version = resolveVersion(text)
      if (version.known && !version.newerThanKnown) this.configuration.targets.push(minorText(version.rules.minor))
      else this.#fault(at, `${JSON.stringify(item)} is no known minor of Kubernetes`, "write it as in '1.34'")
    }
  }

  #readRules(value: unknown, path: FieldPath): void {
    for (const [id, setting] of this.#members(value, path)) {
      const at = [...path, id]
      const rule = this.#known.find((each) => each === id)
      // Bare, off is a truth value to YAML.
      const severity = this.#oneOf(setting === false ? 'off' : setting, RULE_SETTINGS, at)
      if (rule === undefined) this.#fault(at, unknownRule(id, this.#known))
      else if (severity !== null) this.configuration.severities.set(rule, severity)
    }
  }

  #readOptions(value: unknown, path: FieldPath): void {
    const { options } = this.configuration
    for (const [key, part] of this.#members(value, path)) {
      const at = [...path, key]
      if (key === 'allowedExempt') options.allowedExempt = this.#subjects(part, at)
      else if (key === 'guaranteedLevels') options.guaranteedLevels = this.#strings(part, at).map(([text]) => text)
      else if (key === 'serverSeats') this.#readSeats(part, at)
      else this.#unknownKey(key, OPTION_KEYS, at)
    }
  }

  #readSeats(value: unknown, path: FieldPath): void {
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) this.configuration.serverSeats = value
    else this.#fault(path, `${JSON.stringify(value)} is no number of seats`)
  }

  #subjects(value: unknown, path: FieldPath): string[] {
    return this.#strings(value, path).flatMap(([text, at]) => {
      if (isSubjectForm(text)) return [text]
      this.#fault(at, `${JSON.stringify(text)} is no subject`, 'write user:NAME, group:NAME or sa:NAMESPACE/NAME')
      return []
    })
  }

  #strings(value: unknown, path: FieldPath): [string, FieldPath][] {
    return this.#items(value, path).flatMap(([item, at]): [string, FieldPath][] => {
      if (typeof item === 'string') return [[item, at]]
      this.#fault(at, `${JSON.stringify(item)} is no text`, 'put it in quotes')
      return []
    })
  }

  #items(value: unknown, path: FieldPath): [unknown, FieldPath][] {
    if (Array.isArray(value)) return value.map((item: unknown, index) => [item, [...path, index]])
    this.#fault(path, `${formatFieldPath(path)} is no list`)
    return []
  }

  #members(value: unknown, path: FieldPath): [string, unknown][] {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
    if (value !== null && value !== undefined)
      this.#fault(path, `${formatFieldPath(path) || 'the configuration'} is no mapping`)
    return []
  }

  #oneOf<const Word extends string>(value: unknown, words: readonly Word[], path: FieldPath): Word | null {
    const word = words.find((each) => each === value)
    if (word !== undefined) return word
    const meant = typeof value === 'string' ? nearest(value, words) : null
    this.#fault(
      path,
      `${JSON.stringify(value)} is none of ${words.join(', ')}`,
      meant === null ? undefined : `did you mean ${meant}?`,
    )
    return null
  }

  #unknownKey(key: string, known: readonly string[], path: FieldPath): void {
    const meant = nearest(key, known)
    const fix = meant === null ? `there are ${known.join(', ')}` : `did you mean ${meant}?`
    this.#fault(path, `unknown key ${JSON.stringify(key)}`, fix)
  }

  #fault(path: FieldPath, message: string, fix?: string): void {
    const { file } = this.#source
    const problem: Problem = {
      code: 'configuration',
      severity: 'error',
      message,
      at: { file, ...this.#source.locate(path), path: formatFieldPath(path) },
    }
    this.problems.push(fix === undefined ? problem : { ...problem, fix })
  }
}
