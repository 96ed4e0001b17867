/** Objects as kubectl's `-o name` writes them, so that the lines can be given back to kubectl. */
import { FLOWCONTROL_GROUP } from '../apf/objects.ts'

export function flowSchemaName(name: string): string {
  return `flowschema.${FLOWCONTROL_GROUP}/${name}`
}

export function priorityLevelName(name: string): string {
  return `prioritylevelconfiguration.${FLOWCONTROL_GROUP}/${name}`
}
