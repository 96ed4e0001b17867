// Ends a test run with one line on what was skipped and why; APF_TEST_TOTALS names a file for the counts.
//
// A reason is what stands in brackets at the end of a group's name: `describe.skipIf(!go)('oracle [needs Go on PATH]')`,
// or the note of `context.skip('needs …')`. A test that knows of checks for later says so in `task.meta.waiting`.
import { writeFileSync } from 'node:fs'

const NO_REASON = 'no reason given'

export default class SkipsReporter {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 }
    const groups = new Map()
    const waiting = []
    for (const module of modules) {
      const state = module.state()
      if (state === 'failed' && module.children.size === 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state: outcome, note } = test.result()
        counts[outcome === 'passed' || outcome === 'failed' ? outcome : 'skipped']++
        if (test.meta().waiting !== undefined) waiting.push(test.meta().waiting)
        if (outcome !== 'skipped') continue
        const group = outermost(test)
        groups.set(
          `${module.relativeModuleId} ${group.name}`,
          note ?? reasonOf(group.name) ?? reasonOf(test.name) ?? NO_REASON,
        )
      }
    }
    if (process.env['APF_TEST_TOTALS']) writeFileSync(process.env['APF_TEST_TOTALS'], JSON.stringify(counts))
    for (const what of waiting) process.stdout.write(`waiting for their commands: ${what}\n`)
    process.stdout.write(`${lastLine(groups, counts.skipped)}\n`)
  }
}

function outermost(test) {
  let group = test
  while (group.parent.type !== 'module') group = group.parent
  return group
}

function reasonOf(name) {
  return /\[([^\]]+)\]$/.exec(name)?.[1]
}

function lastLine(groups, tests) {
  if (groups.size === 0) return 'skipped: nothing'
  const reasons = [...groups.values()]
  const why = [...new Set(reasons)].map((reason) => `${reasons.filter((other) => other === reason).length} ${reason}`)
  return `skipped: ${groups.size} ${groups.size === 1 ? 'group' : 'groups'} with ${tests} ${tests === 1 ? 'test' : 'tests'} (${why.join('; ')})`
}
