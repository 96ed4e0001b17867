/** The settings of the limiters other than APF. */
import { LIMITER_SETTINGS } from '../../limiters/all-settings.ts'
import type { SettingText } from '../../limiters/settings.ts'
import type { Topic } from './topic.ts'

const COMMANDS: Readonly<Record<string, string>> = {
  'client-go': 'limits client',
  EventRateLimit: 'limits events --config FILE',
  'Cilium API limiter': 'limits cilium --cilium-version 1.18',
  MaxInFlight: 'limits inflight',
}

/** A topic for each setting. */
export function settingTopics(): Topic[] {
  return LIMITER_SETTINGS.map(settingTopic)
}

function settingTopic({ name, limiter, unless, does, beware }: SettingText): Topic {
  const command = COMMANDS[limiter]
  return {
    kind: 'setting',
    name,
    // Flags are asked for without their dashes, fields by their end.
    aliases: [name.replace(/^--/, ''), name.split(/[.=]/).at(-1) ?? name].filter((alias) => alias !== name),
    summary: `${limiter}: ${does.split(/(?<=\.)\s/)[0] ?? does}`.replace(/\.$/, ''),
    text: [does, `Unless it is set: ${unless}.`, ...(beware === undefined ? [] : [beware])].join('\n\n'),
    commands: command === undefined ? [] : [command],
    see: [],
  }
}
