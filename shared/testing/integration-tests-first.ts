import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Integration tests run first: they often wait, and the processors would be idle if they ran at the end. The files of a
 * project stay together, because they share processes.
 */
export class IntegrationTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === "components") return 2;
  return moduleId.includes(".integration.") ? 0 : 1;
}
