import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PROVIDERS } from '../../../src/lint/providers/index.ts'

it('has every object of a provider in its page', () => {
  const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  for (const { name: provider, objects } of PROVIDERS) {
    expect(page).toContain(provider)
    for (const { kind, name, reconciled } of objects) {
      const row = rows.find(
        (line) => line.startsWith(`| ${provider} |`) && line.includes(`\`${name}\``) && line.includes(kind),
      )
      expect(row, `${provider} ${kind} ${name}`).toContain(reconciled.by)
      for (const [label, value] of Object.entries(reconciled.unless ?? {})) expect(row).toContain(`${label}=${value}`)
    }
  }
})
