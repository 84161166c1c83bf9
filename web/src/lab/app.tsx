// The lab: the frame, and the screen that is shown.

import { CompareScreen } from "./compare";
import { LabContext, useLab } from "./context";
import { DataScreen } from "./data_screen";
import { ExerciseScreen } from "./exercise";
import { FinishScreen } from "./finish";
import { Notices, Top } from "./chrome";
import type { Lab } from "./lab";
import { StartScreen } from "./start";
import { TreeScreen } from "./tree_screen";

export function App({ lab }: { lab: Lab }) {
  return (
    <LabContext.Provider value={lab}>
      <Page />
    </LabContext.Provider>
  );
}

function Page() {
  const lab = useLab();
  if (!lab.info.value) return <Notices />;
  return (
    <>
      <Top />
      <Notices />
      <Shown />
    </>
  );
}

function Shown() {
  switch (useLab().screen.value) {
    case "start": return <StartScreen />;
    case "data": return <DataScreen />;
    case "tree": return <TreeScreen />;
    case "compare": return <CompareScreen />;
    case "exercise": return <ExerciseScreen />;
    case "finish": return <FinishScreen />;
  }
}
