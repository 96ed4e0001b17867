/** Files of expectations, from paths to cases. */
import { decodeExpectations } from '../../analysis/expectations/decode.ts'
import type { Expectation } from '../../analysis/expectations/model.ts'
import { formatFieldPath, type Origin, type Problem } from '../../apf/problem.ts'
import type { Io } from '../../cli/io.ts'
import { readDocuments } from '../../sources/documents.ts'
import { readInputFile, readInputStream, STDIN_NAME } from '../../sources/input.ts'
import type { SourceDocument } from '../../sources/source-text.ts'

export interface ExpectationsRead {
  cases: Expectation[]
  problems: Problem[]
}

/** Reads the files one by one; what is wrong with one leaves the cases of the others. */
export async function readExpectations(paths: readonly string[], io: Io): Promise<ExpectationsRead> {
  const cases: Expectation[] = []
  const problems: Problem[] = []
  for (const path of paths) {
    const input = path === '-' ? await readInputStream(STDIN_NAME, io.stdin) : readInputFile(path)
    if ('problem' in input) {
      problems.push(input.problem)
      continue
    }
    const { file } = input.source
    const ofFile: Expectation[] = []
    const read = await readDocuments(input.source)
    problems.push(...read.problems)
    for (const document of read.documents) {
      const decoded = decodeExpectations(document.value, originOf(file, document))
      ofFile.push(...decoded.cases)
      problems.push(...duplicateKeys(file, document), ...decoded.problems)
    }
    cases.push(...ofFile)
    problems.push(...sameNames(ofFile))
    if (read.documents.length === 0 && read.problems.length === 0) {
      problems.push({ code: 'empty', severity: 'error', message: 'no expectations in it', at: { file } })
    }
  }
  return { cases, problems }
}

function originOf(file: string, document: SourceDocument): Origin {
  return { file, locate: (path) => document.locate(path) }
}

function duplicateKeys(file: string, { duplicateKeys }: SourceDocument): Problem[] {
  return duplicateKeys.map(({ path, at, first }) => ({
    code: 'duplicate-key',
    severity: 'error',
    message: `${formatFieldPath(path)} stands twice; the first is in line ${first.line}`,
    fix: 'remove one of them',
    at: { file, ...at },
  }))
}

/** Reports name a case by its file and name alone. */
function sameNames(cases: readonly Expectation[]): Problem[] {
  const first = new Map<string, Expectation>()
  return cases.flatMap((each): Problem[] => {
    const other = first.get(each.name)
    if (other === undefined) {
      first.set(each.name, each)
      return []
    }
    const message = `the case in line ${other.at.line} has the name ${JSON.stringify(each.name)} as well`
    return [{ code: 'expectations', severity: 'warning', message, fix: 'rename one of them', at: each.at }]
  })
}
