/** Findings in the formats of CI systems and editors; each format is loaded when it is needed. */
import packageJson from '../../package.json' with { type: 'json' }
import type { Findings, LintFinding } from '../report/contract.ts'
import type { FindingsContext, FindingsFormat, RuleHelp } from '../report/findings-format.ts'

const FORMATTERS = {
  sarif: async () => (await import('../report/findings-sarif.ts')).sarif,
  junit: async () => (await import('../report/findings-junit.ts')).junit,
  github: async () => (await import('../report/findings-github.ts')).github,
  gitlab: async () => (await import('../report/findings-gitlab.ts')).gitlab,
  markdown: async () => (await import('../report/findings-markdown.ts')).markdown,
  checkstyle: async () => (await import('../report/findings-checkstyle.ts')).checkstyle,
} satisfies Record<string, () => Promise<FindingsFormat>>

export type FindingsFormatName = keyof typeof FORMATTERS

/** Whether a text names a format of findings. */
export function isFindingsFormat(text: string): text is FindingsFormatName {
  return Object.hasOwn(FORMATTERS, text)
}

/** The findings as text of a format; the rules that have some come with their pages. */
export async function findingsAs(
  format: FindingsFormatName,
  findings: Findings,
  about: Omit<FindingsContext, 'version' | 'rules'>,
): Promise<string> {
  const formatter = await FORMATTERS[format]()
  return formatter(findings, { ...about, version: packageJson.version, rules: await rulesOf(findings.findings) })
}

async function rulesOf(findings: readonly LintFinding[]): Promise<RuleHelp[]> {
  const [{ ruleText }, { RULES }] = await Promise.all([
    import('../lint/catalogue.ts'),
    import('../lint/rules/index.ts'),
  ])
  const found = new Set(findings.map(({ rule }) => rule))
  return RULES.filter(({ id }) => found.has(id)).map((rule) => {
    const { id, name, severity, summary } = rule
    return { id, name, severity, summary, page: `# ${ruleText(rule)}` }
  })
}
