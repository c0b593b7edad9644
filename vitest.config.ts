import { defineConfig } from "vitest/config";

// Unit tests sit beside their file; whole flows live in tests/.
export default defineConfig({
  resolve: { conditions: ["indus-source"] },
  ssr: { resolve: { conditions: ["indus-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
