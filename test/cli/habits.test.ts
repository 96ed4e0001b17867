import { describe, expect, it } from 'vitest'
import { apf, BIN, ROOT, run } from '../support/cli.ts'

const VERSION = 'kubectl-apf 0.1.0\n'

describe('kubectl habits', () => {
  const names = `${[
    'exempt',
    'probes',
    'system-leader-election',
    'system-node-high',
    'system-nodes',
    'kube-controller-manager',
    'kube-scheduler',
    'kube-system-service-accounts',
    'service-accounts',
    'global-default',
    'catch-all',
  ]
    .map((name) => `flowschema.flowcontrol.apiserver.k8s.io/${name}`)
    .join('\n')}\n`

  it.each([
    'schemas --defaults 1.37 -o name',
    'schemas --defaults=1.37 -oname',
    '--defaults 1.37 schemas -o=name',
    '-o name --defaults=1.37 schemas',
    'schemas -o json -o name --defaults 1.30 --defaults 1.37',
    'schemas -q=false --no-headers=true --overlay-defaults=false --defaults 1.37 --output=name',
    'schemas --defaults 1.37 -o name --',
  ])('%s', async (line) => {
    expect(await apf(line.split(' '))).toEqual({ code: 0, stdout: names, stderr: '' })
  })

  it.each(['version', '--version'])('%s prints the version', async (line) => {
    expect(await apf(line.split(' '))).toEqual({ code: 0, stdout: VERSION, stderr: '' })
  })

  it('works from PATH, as kubectl calls a plugin', async () => {
    const env = { PATH: `${ROOT}bin:${process.env['PATH'] ?? ''}` }
    expect(await run('kubectl-apf', ['version'], { env, cwd: '/' })).toEqual({ code: 0, stdout: VERSION, stderr: '' })
  })

  it('ends in silence when nobody reads on', async () => {
    const line = `for i in 1 2 3 4 5 6 7 8; do '${BIN}' schemas --defaults 1.37 -o json; done | head -n 1`
    expect(await run('sh', ['-c', line])).toEqual({ code: 0, stdout: '{\n', stderr: '' })
  })

  it('answers SIGINT with 130', async () => {
    const line = `'${BIN}' schemas --from - < <(exec sleep 10 2>&-) & sleep 1; kill -INT $!; wait $!`
    // A background job of a script ignores SIGINT until the program itself asks for it.
    expect((await run('bash', ['-c', line])).code).toBe(130)
  })
})
