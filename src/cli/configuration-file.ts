/** Finds and reads .kubectl-apf.yaml. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Problem } from '../apf/problem.ts'
import { emptyConfiguration, type LintConfiguration, readConfiguration } from '../lint/configuration.ts'
import { readDocuments } from '../sources/documents.ts'
import { readInputFile } from '../sources/input.ts'

/** What was found, and read as far as it can be understood. */
export interface ConfigurationFile {
  /** Null where there is none. */
  path: string | null
  configuration: LintConfiguration
  problems: Problem[]
}

const NAME = '.kubectl-apf.yaml'

/** @param given  of --config; else it is looked for here and in the folders above, up to the root of the repository */
export async function readConfigurationFile(given: string | undefined): Promise<ConfigurationFile> {
  const path = given ?? findUpwards(process.cwd())
  if (path === null) return { path, configuration: emptyConfiguration(), problems: [] }
  const input = readInputFile(path)
  if ('problem' in input) return { path, configuration: emptyConfiguration(), problems: [input.problem] }
  const [{ documents, problems }, { RULES }] = await Promise.all([
    readDocuments(input.source),
    import('../lint/rules/index.ts'),
  ])
  const known = RULES.map(({ id }) => id)
  const [document] = documents
  if (document === undefined) return { path, configuration: emptyConfiguration(), problems }
  const { value, locate, duplicateKeys } = document
  const read = readConfiguration({ file: path, value, locate: (field) => locate(field), duplicateKeys }, known)
  return { path, configuration: read.configuration, problems: [...problems, ...read.problems] }
}

/** As a path from here; null outside of a repository as well, unless it is in this very folder. */
function findUpwards(start: string): string | null {
  let way = ''
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, NAME))) return `${way}${NAME}`
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return null
    way += '../'
  }
}
